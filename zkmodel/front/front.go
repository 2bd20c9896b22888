package front

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/serverloop"
)

// Front is a simulated ZooKeeper on TCP ports.
type Front struct {
	o     Options
	begin time.Time
	wg    sync.WaitGroup
	quit  chan struct{}
	wake  chan struct{} // for the goroutine that lets time pass

	admin     *http.Server
	adminAddr string

	mu       sync.Mutex // guards what follows
	closed   bool
	back     backend
	ports    []*port
	conns    map[zkmodel.ConnID]*conn
	lastConn zkmodel.ConnID
	sessions sessionNumbers
	script   script
}

// port is one server's door.
type port struct {
	f        *Front
	index    int
	listener net.Listener
	loop     *serverloop.Loop
	stats    serverStats
}

// Start listens and serves until Close. What is wrong with o or cannot be had
// is an error, and then nothing is left running.
func Start(o Options) (*Front, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Front{
		o: o, begin: time.Now(),
		quit: make(chan struct{}), wake: make(chan struct{}, 1),
		conns: map[zkmodel.ConnID]*conn{},
	}
	f.back = newBackend(&f.o, f.now())
	if err := f.script.add(o.Rules, f.back.servers()); err != nil {
		return nil, err
	}
	if err := f.listen(); err != nil {
		return nil, err
	}
	if err := f.startAdmin(); err != nil {
		f.closePorts()
		return nil, err
	}
	f.wg.Add(len(f.ports) + 1)
	for _, p := range f.ports {
		go p.accept()
	}
	go f.passTime()
	return f, nil
}

// listen opens the ports: that of the first server where Options say, those of
// the others behind it, or anywhere if that was to be anywhere.
func (f *Front) listen() error {
	host, first, err := net.SplitHostPort(f.o.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w; allowed: HOST:PORT, port 0 for a free one", f.o.Listen, err)
	}
	number, err := net.LookupPort("tcp", first)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w; allowed: HOST:PORT, port 0 for a free one", f.o.Listen, err)
	}
	for i := range f.back.servers() {
		at := number
		if number != 0 {
			at += i
		}
		l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(at)))
		if err != nil {
			f.closePorts()
			return fmt.Errorf("cannot listen: %w", err)
		}
		p := &port{f: f, index: i, listener: l}
		p.stats.reset()
		p.loop = serverloop.New(f.back.machine(i), p, serverloop.Options{
			FrameLimit: f.o.FrameLimit,
			Word:       p.word, Request: p.onRequest, Response: p.onResponse,
		})
		f.ports = append(f.ports, p)
	}
	return nil
}

func (f *Front) closePorts() {
	for _, p := range f.ports {
		_ = p.listener.Close()
	}
}

// Addrs are the addresses of the servers' ports.
func (f *Front) Addrs() []string {
	var all []string
	for _, p := range f.ports {
		all = append(all, p.listener.Addr().String())
	}
	return all
}

// Close closes the ports and all connections and returns when nothing is left
// running.
func (f *Front) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	close(f.quit)
	var errs []error
	for _, p := range f.ports {
		errs = append(errs, p.listener.Close())
	}
	for _, c := range f.conns {
		c.abort()
	}
	f.mu.Unlock()
	if f.admin != nil {
		errs = append(errs, f.admin.Close())
	}
	f.wg.Wait()
	return errors.Join(errs...)
}

// now is the time that the machines see: that since 1970, so that the times in
// Stats are those of the day, moving on like a stop watch.
func (f *Front) now() zkmodel.Time {
	return zkmodel.Time(f.begin.UnixNano()) + time.Since(f.begin)
}

// serverID is the server's myid, 0 for one that stands alone.
func (p *port) serverID() int {
	if p.f.back.servers() == 1 {
		return 0
	}
	return p.index + 1
}

// idleWait is how long the passing of time may go unnoticed by machines that
// wait for nothing, and by what is looked after only now and then.
const idleWait = 100 * time.Millisecond

// passTime lets time pass for the machines.
func (f *Front) passTime() {
	defer f.wg.Done()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-f.quit:
			return
		case <-f.wake:
		case <-timer.C:
		}
		f.mu.Lock()
		now := f.now()
		f.back.pass(now, f.run(now))
		f.afterInput(now)
		wait := idleWait
		if at, ok := f.back.next(); ok {
			wait = min(max(at-f.now(), 0), idleWait)
		}
		f.sessions.forgetDead(now, f.back.alive)
		f.mu.Unlock()
		timer.Reset(wait)
	}
}

// run carries out inputs of server i and writes what they put out.
func (f *Front) run(now zkmodel.Time) runner {
	return func(i int, input func(out *zkmodel.Output)) { f.ports[i].loop.Do(now, input) }
}

// input carries out an input of a connection, and what follows from it at other
// servers. f.mu is held.
func (f *Front) input(p *port, do func(now zkmodel.Time)) {
	now := f.now()
	do(now)
	f.afterInput(now)
}

// afterInput does what the inputs made due at other servers.
func (f *Front) afterInput(now zkmodel.Time) {
	f.back.settle(now, f.run(now))
	if f.back.hurried() {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
}
