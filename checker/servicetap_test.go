package checker_test

import (
	"zoosim/checker"
	"zoosim/scenarios/servicetap"
	"zoosim/zkmodel"
)

// serviceTap stands before a server and keeps what it does as the events that
// checker.Service reads.
type serviceTap struct {
	zkmodel.Server
	out    zkmodel.Output
	now    zkmodel.Time
	events []checker.ServiceEvent
	client func(c zkmodel.ConnID) int32 // whose connection it is
}

// Observe implements servicetap.Observer.
func (t *serviceTap) Observe(e *checker.ServiceEvent) {
	c := *e
	if e.Stat != nil {
		st := *e.Stat
		c.Stat = &st
	}
	t.events = append(t.events, c)
}

func (t *serviceTap) tap() *servicetap.Tap { return &servicetap.Tap{To: t} }

// request tells of a request that was sent.
func (t *serviceTap) request(c zkmodel.ConnID, r *zkmodel.Request) { t.tap().Request(t.now, c, r) }

// handle has the server handle a request and tells of all that follows.
func (t *serviceTap) handle(c zkmodel.ConnID, r *zkmodel.Request) {
	t.out.Reset()
	t.Handle(t.now, c, r, &t.out)
	t.tap().Output(t.now, t.client(c), r, &t.out)
}

// drop tells the server that a connection is gone.
func (t *serviceTap) drop(c zkmodel.ConnID) {
	t.Drop(t.now, c)
	t.tap().Drop(t.now, c)
}

func (t *serviceTap) tick() {
	t.out.Reset()
	t.Tick(t.now, &t.out)
	t.tap().Output(t.now, -1, nil, &t.out)
}

func (t *serviceTap) expire(session int64) {
	t.out.Reset()
	t.Expire(t.now, session, &t.out)
	t.tap().Output(t.now, -1, nil, &t.out)
}

// plant makes a znode before the run; number is what its next sequential
// child gets.
func (t *serviceTap) plant(path string, number int32) {
	t.Plant(path)
	t.SetCreateCount(path, number)
	t.tap().Plant(t.now, &t.Server, path)
}
