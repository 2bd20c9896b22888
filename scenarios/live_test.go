package scenarios_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	gozk "github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios"
	"zoosim/zkmodel"
	"zoosim/zkmodel/conform"
	"zoosim/zkmodel/front"
)

var live = flag.Bool("live", false, "run recipes on the real ZooKeeper as well (make conform-live)")

// liveVariants are variants of each family: the correct ones, LeaderLatch, and
// some that look at directories. Not among them are lock/fenced, whose look at the Stat of
// create2 costs an exists more than in simulation, semaphore/curator, which
// removes watches, queue/seed002, whose consumer lists once more if the news of
// its own delete comes when it waits already, and the sales, whose stock no real
// server keeps.
var liveVariants = []string{
	"lock/zkdocs", "rwlock/zkdocs", "semaphore/tickets", "queue/zkdocs", "group/zkdocs",
	"election/zkdocs", "election/curator-latch",
	"cache/curator-node", "cache/curator-children", "cache/curator-tree",
	// Those that look at directories, of the object or below it.
	"lock/curator-multi", "queue/curator-simple",
}

// served is a simulated ZooKeeper on a port.
func served(t *testing.T) string {
	f, err := front.Start(front.Options{Server: zkmodel.ServerOptions{Tick: 500 * time.Millisecond}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f.Addrs()[0]
}

// runsAlike runs a variant on a server, where it must pass, cost what it costs in
// simulation, and leave nothing behind.
func runsAlike(t *testing.T, address, variant string, clients int) {
	s := scenarios.Standard(variant, clients)
	if s.Consumers > 0 {
		// Consumers race for an item. Of one, all is known.
		s.SetClients(2)
		s.Ops = clients
	}
	rep, err := scenarios.RunLive(context.Background(), scenarios.LiveOptions{
		Scenario: s, Address: address, Budget: 3 * time.Minute,
	})
	require.NoError(t, err)
	require.NotEmpty(t, rep.Verdicts)
	for _, v := range rep.Verdicts {
		require.Equal(t, checker.Pass, v.Verdict, "%s: %s", v.Property, v.Why)
	}
	require.Equal(t, rep.Simulated, rep.Metrics)
	require.True(t, rep.Equal)
	require.NotEmpty(t, rep.Metrics.Requests)
	require.Equal(t, []string{"zookeeper"}, children(t, address))
}

// children lists the children of the root.
func children(t *testing.T, address string) []string {
	c, events, err := gozk.Connect([]string{address}, 10*time.Second, gozk.WithLogInfo(false))
	require.NoError(t, err)
	defer c.Close()
	for e := range events {
		if e.State == gozk.StateHasSession {
			break
		}
	}
	names, _, err := c.Children("/")
	require.NoError(t, err)
	return names
}

// The recipes run from the same source on a server behind a port.
func TestLiveOnThePort(t *testing.T) {
	for _, v := range liveVariants {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			runsAlike(t, served(t), v, 3)
		})
	}
}

// realServer starts the real server and returns its address; where there is
// none it skips, but not in CI.
func realServer(t *testing.T) string {
	if !*live {
		t.Skip("skipped: without -live (make conform-live)")
	}
	s, err := conform.StartServer(conform.ServerConfig{Tick: 500 * time.Millisecond, ContainerCheck: time.Minute})
	if errors.Is(err, conform.ErrNoServer) && os.Getenv("CI") == "" {
		t.Skip("skipped: ", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.Addr
}

// On the real server they cost what they cost in simulation.
func TestLiveOnTheRealServer(t *testing.T) {
	address := realServer(t)
	for _, v := range liveVariants {
		for _, n := range []int{3, 10, 30} {
			t.Run(fmt.Sprintf("%s/%d", v, n), func(t *testing.T) { runsAlike(t, address, v, n) })
		}
	}
}

// A recipe that fails is found to fail on a real server too.
func TestLiveFindsFaults(t *testing.T) {
	rep, err := scenarios.RunLive(context.Background(), scenarios.LiveOptions{
		Scenario: scenarios.Standard("rwlock/seed000", 4), Address: served(t), Budget: 2 * time.Second,
	})
	require.NoError(t, err)
	failed := map[checker.Property]string{}
	for _, v := range rep.Verdicts {
		if v.Verdict == checker.Failed {
			failed[v.Property] = v.Why
		}
	}
	require.Len(t, failed, 1, "%v", failed)
	require.Contains(t, failed[checker.Progress], "waits for the lock")
}

// An interrupt ends the sessions and cleans up.
func TestLiveIsInterrupted(t *testing.T) {
	address := served(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(500*time.Millisecond, cancel)
	_, err := scenarios.RunLive(ctx, scenarios.LiveOptions{
		Scenario: scenarios.Standard("lock/zkdocs", 30), Address: address, Silence: 100 * time.Millisecond,
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"zookeeper"}, children(t, address))
}

// So it does with a recipe that does not look at its context.
func TestLiveEndsDeafRecipes(t *testing.T) {
	address := served(t)
	s := scenarios.Standard("queue/curator", 2)
	s.Ops = 2
	rep, err := scenarios.RunLive(context.Background(), scenarios.LiveOptions{Scenario: s, Address: address, Budget: 2 * time.Second})
	require.NoError(t, err)
	require.NotEmpty(t, rep.Verdicts)
	require.Equal(t, []string{"zookeeper"}, children(t, address))
}

func TestLiveSaysWhatIsWrong(t *testing.T) {
	run := func(s scenarios.Scenario, address string) error {
		_, err := scenarios.RunLive(context.Background(), scenarios.LiveOptions{Scenario: s, Address: address})
		return err
	}
	require.ErrorContains(t, run(scenarios.Standard("lock/nope", 3), ""), `variant: unknown variant "lock/nope"`)
	require.ErrorContains(t, run(scenarios.Default("lock/zkdocs"), ""), "the standard workload")
	require.ErrorContains(t, run(scenarios.Standard("lock/zkdocs", 3), "127.0.0.1:1"), "no ZooKeeper gives a session at 127.0.0.1:1")
}
