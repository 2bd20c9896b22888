package front_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/conform"
	"zoosim/zkmodel/front"
)

// benchArm is one server with the clients that load it.
type benchArm struct {
	conns []*zk.Conn
	spent time.Duration
}

func newBenchArm(b *testing.B, address string, clients int) *benchArm {
	a := &benchArm{}
	for range clients {
		c, events, err := zk.Connect([]string{address}, 20*time.Second, zk.WithLogger(silent{}))
		require.NoError(b, err)
		b.Cleanup(c.Close)
		awaitState(b, events, zk.StateHasSession)
		a.conns = append(a.conns, c)
	}
	return a
}

// do carries out n operations on every connection, all connections at once.
func (a *benchArm) do(n int, op func(c *zk.Conn, client int) error) error {
	var (
		wg   sync.WaitGroup
		errs = make([]error, len(a.conns))
	)
	begin := time.Now()
	for i, c := range a.conns {
		wg.Go(func() {
			for k := 0; k < n && errs[i] == nil; k++ {
				errs[i] = op(c, i)
			}
		})
	}
	wg.Wait()
	a.spent += time.Since(begin)
	return errors.Join(errs...)
}

// benchOps are the operations; before them there are /data with 100 bytes and
// /wide with 1,000 children.
var benchOps = []struct {
	name string
	op   func(c *zk.Conn, client int) error
}{
	{"createDelete", func(c *zk.Conn, client int) error {
		path := fmt.Sprintf("/n%d", client)
		if _, err := c.Create(path, []byte("x"), 0, open); err != nil {
			return err
		}
		return c.Delete(path, -1)
	}},
	{"setData", func(c *zk.Conn, _ int) error { _, err := c.Set("/data", make([]byte, 100), -1); return err }},
	{"getData", func(c *zk.Conn, _ int) error { _, _, err := c.Get("/data"); return err }},
	{"getChildren1000", func(c *zk.Conn, _ int) error { _, _, err := c.Children("/wide"); return err }},
}

func prepareBench(b *testing.B, c *zk.Conn) {
	for _, path := range []string{"/data", "/wide"} {
		_, err := c.Create(path, make([]byte, 100), 0, open)
		require.NoError(b, err)
	}
	for i := range 1000 {
		_, err := c.Create(fmt.Sprintf("/wide/child-%04d", i), nil, 0, open)
		require.NoError(b, err)
	}
}

// BenchmarkTCP drives the model behind its port and the real server with
// go-zookeeper, in turns, and reports operations a second of each and their
// ratio. The real server keeps its log in memory and does not sync it.
func BenchmarkTCP(b *testing.B) {
	s, err := conform.StartServer(conform.ServerConfig{Tick: 2 * time.Second, ContainerCheck: time.Minute})
	if errors.Is(err, conform.ErrNoServer) {
		b.Skip(err)
	}
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close()) }()
	f := start(b, front.Options{Server: zkmodel.ServerOptions{Tick: 2 * time.Second}})
	for _, address := range []string{s.Addr, f.Addrs()[0]} {
		prepareBench(b, newBenchArm(b, address, 1).conns[0])
	}
	for _, clients := range []int{1, 16} {
		for _, op := range benchOps {
			b.Run(fmt.Sprintf("%s/clients=%d", op.name, clients), func(b *testing.B) {
				arms := [2]*benchArm{newBenchArm(b, f.Addrs()[0], clients), newBenchArm(b, s.Addr, clients)}
				for _, a := range arms {
					require.NoError(b, a.do(200/clients, op.op), "warm up")
					a.spent = 0
				}
				b.ResetTimer()
				const turns = 10
				n := 0
				for turn := range turns {
					share := (b.N/clients + turn) / turns
					for _, a := range arms {
						require.NoError(b, a.do(share, op.op))
					}
					n += share * clients
				}
				b.StopTimer()
				if n == 0 {
					return
				}
				model, real := float64(n)/arms[0].spent.Seconds(), float64(n)/arms[1].spent.Seconds()
				b.ReportMetric(model, "model-ops/s")
				b.ReportMetric(real, "real-ops/s")
				b.ReportMetric(model/real, "ratio")
			})
		}
	}
}
