package conform

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrNoServer is what [StartServer] wraps where the real ZooKeeper or Java is
// not installed.
var ErrNoServer = errors.New("the real ZooKeeper is not installed (Debian package zookeeper)")

// serverJar is where Debian's package puts the server.
const serverJar = "/usr/share/java/zookeeper.jar"

// ServerConfig is what a [RealServer] is started with.
type ServerConfig struct {
	Tick           time.Duration // tickTime
	ContainerCheck time.Duration // znode.container.checkIntervalMs
	TTLNodes       bool          // zookeeper.extendedTypesEnabled

	_ struct{}
}

// RealServer is a standalone ZooKeeper of this machine, on a free port of the
// loopback interface and with its data in a temporary folder.
type RealServer struct {
	Addr string // "127.0.0.1:40123"
	dir  string
	cmd  *exec.Cmd
	done chan error
}

// StartServer starts a server, which has these znodes and those of any fresh
// one, and waits until it serves.
func StartServer(o ServerConfig, znodes ...Znode) (*RealServer, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, fmt.Errorf("%w: no java", ErrNoServer)
	}
	if _, err := os.Stat(serverJar); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	dir, err := os.MkdirTemp(memoryDir(), "zoosim-conform-")
	if err != nil {
		return nil, err
	}
	s := &RealServer{dir: dir, done: make(chan error, 1)}
	if len(znodes) > 0 {
		err = writeSnapshot(s.dataDir(), znodes)
	}
	if err == nil {
		err = s.start(java, o)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("start the real ZooKeeper: %w", err)
	}
	return s, nil
}

// memoryDir is a folder in memory, where there is one: the server syncs its
// log with every write.
func memoryDir() string {
	if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func (s *RealServer) dataDir() string { return filepath.Join(s.dir, "data") }

func (s *RealServer) start(java string, o ServerConfig) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	s.Addr = fmt.Sprintf("127.0.0.1:%d", port)
	cfg := filepath.Join(s.dir, "zoo.cfg")
	text := fmt.Sprintf("tickTime=%d\ndataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\n"+
		"admin.enableServer=false\n4lw.commands.whitelist=*\nmaxClientCnxns=0\n",
		o.Tick.Milliseconds(), s.dataDir(), port)
	if err := os.WriteFile(cfg, []byte(text), 0o600); err != nil {
		return err
	}
	s.cmd = exec.Command(java, "-Xmx512m", "-XX:+UseSerialGC",
		fmt.Sprintf("-Dzookeeper.extendedTypesEnabled=%v", o.TTLNodes),
		fmt.Sprintf("-Dznode.container.checkIntervalMs=%d", o.ContainerCheck.Milliseconds()),
		"-Dzookeeper.forceSync=no",
		"-cp", serverJar, "org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg)
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func() { s.done <- s.cmd.Wait() }()
	return s.ready()
}

// ready waits until the server says that it is one.
func (s *RealServer) ready() error {
	const limit = 5 * time.Minute // on a machine that is busy with other things
	for start := time.Now(); time.Since(start) < limit; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-s.done:
			s.done <- err
			return fmt.Errorf("it ended: %w", err)
		default:
		}
		if answer, err := s.Word("srvr"); err == nil && strings.Contains(answer, "Mode: ") {
			return nil
		}
	}
	return fmt.Errorf("it does not serve after %v", limit)
}

// Word sends a four-letter word and returns the answer.
func (s *RealServer) Word(word string) (string, error) {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(c, word); err != nil {
		return "", err
	}
	b, err := io.ReadAll(c)
	return string(b), err
}

// Close ends the server and removes its data.
func (s *RealServer) Close() error {
	if s.cmd != nil && s.cmd.Process != nil {
		s.cmd.Process.Kill() // it may have ended
		<-s.done
	}
	return os.RemoveAll(s.dir)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
