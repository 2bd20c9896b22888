package conform

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
)

// The configuration of the servers, on both arms. A tick is as short as a busy
// machine allows, since sessions expire at the end of one.
const testTick = 100 * time.Millisecond

func testConfig() ServerConfig {
	return ServerConfig{Tick: testTick, ContainerCheck: time.Hour, TTLNodes: true}
}

func modelOptions(o ServerConfig) zkmodel.ServerOptions {
	return zkmodel.ServerOptions{Tick: o.Tick, ContainerCheck: o.ContainerCheck, TTLNodes: o.TTLNodes}
}

// live says whether golden scripts run on the real server.
var live = flag.Bool("live", false, "compare the golden scripts with the real server, not with the model")

// fleet starts a real server for each configuration and keeps it.
type fleet struct {
	t       *testing.T
	servers map[ServerConfig]*RealServer
	roots   int
}

func newFleet(t *testing.T) *fleet {
	f := &fleet{t: t, servers: map[ServerConfig]*RealServer{}}
	t.Cleanup(func() {
		for _, s := range f.servers {
			require.NoError(t, s.Close())
		}
	})
	return f
}

func (f *fleet) get(o ServerConfig) *RealServer {
	if f.servers[o] == nil {
		f.servers[o] = f.start(o)
	}
	return f.servers[o]
}

// start starts a server; where there is none, it skips, but not in CI.
func (f *fleet) start(o ServerConfig, znodes ...Znode) *RealServer {
	s, err := StartServer(o, znodes...)
	if errors.Is(err, ErrNoServer) && os.Getenv("CI") == "" {
		fmt.Println("conform: skipped,", err)
		f.t.SkipNow()
	}
	require.NoError(f.t, err)
	return s
}

// rewriting says whether the golden files are to be recorded anew.
func rewriting() bool {
	f := flag.Lookup("rewrite")
	return f != nil && f.Value.String() == "true"
}

// Every golden script was recorded from the real server (go test -run Golden
// -rewrite); the model shows the same.
func TestGolden(t *testing.T) {
	f := newFleet(t)
	if *live || rewriting() {
		f.get(testConfig()) // skips where there is none
	}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.HasSuffix(path, ".md") {
			return
		}
		runGolden(t, f, path, *live || rewriting())
	})
}

func runGolden(t *testing.T, f *fleet, path string, real bool) {
	o, fresh := testConfig(), false
	var znodes []Znode
	var r *Runner
	start := func() {
		if r != nil {
			return
		}
		root := "/" + strings.TrimSuffix(filepath.Base(path), ".txt")
		var arm Arm
		if real {
			s := f.get
			if fresh {
				s = func(o ServerConfig) *RealServer {
					one := f.start(o, znodes...)
					t.Cleanup(func() { require.NoError(t, one.Close()) })
					return one
				}
			}
			l := NewLiveArm(s(o).Addr, o.Tick)
			t.Cleanup(l.Close)
			arm = l
		} else {
			arm = NewModelArm(ModelOptions{Server: modelOptions(o), Znodes: znodes})
		}
		if fresh {
			root = ""
		} else if real {
			f.roots++
			root += "-" + strconv.Itoa(f.roots)
		}
		var err error
		r, err = NewRunner(arm, root)
		require.NoError(t, err)
	}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "server" {
			for _, a := range d.CmdArgs {
				switch a.Key {
				case "fresh":
					fresh = true
				case "nottl":
					o.TTLNodes = false
				case "tick":
					var ms int
					d.ScanArgs(t, "tick", &ms)
					o.Tick = time.Duration(ms) * time.Millisecond
				case "reap":
					var ms int
					d.ScanArgs(t, "reap", &ms)
					o.ContainerCheck = time.Duration(ms) * time.Millisecond
				default:
					d.Fatalf(t, "unknown argument %s", a.Key)
				}
			}
			for line := range strings.Lines(d.Input) {
				z, err := ParseZnode(line)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				znodes, fresh = append(znodes, z), true
			}
			return ""
		}
		start()
		args := make([]Arg, len(d.CmdArgs))
		for i, a := range d.CmdArgs {
			args[i] = Arg{a.Key, a.Vals}
		}
		s, err := ParseStep(d.Cmd, args, d.Input)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		lines, err := r.Step(&s)
		require.NoError(t, err, d.Pos)
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	})
	if r != nil {
		require.NoError(t, r.End())
	}
}
