package clients_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/conform"
	"zoosim/zkmodel/conform/clients"
	"zoosim/zkmodel/front"
)

var (
	live   = flag.Bool("live", false, "run all clients, against the real server as well")
	update = flag.Bool("update", false, "with -live: record what the real server makes of the clients")
)

// limit bounds one run of one client.
const limit = 5 * time.Minute

// absent skips a test for what is not installed; in CI that is a failure.
func absent(t *testing.T, what string) {
	if os.Getenv("CI") != "" {
		require.FailNow(t, "missing: "+what)
	}
	t.Skip("missing: " + what)
}

// model starts so many servers of the model and returns the address of one.
func model(t *testing.T, servers int, mutant zkmodel.Mutant) string {
	f, err := front.Start(front.Options{Servers: servers, Server: zkmodel.ServerOptions{
		TTLNodes: true, ContainerCheck: time.Second, Mutant: mutant,
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	at := 0
	require.Eventually(t, func() bool {
		at = slices.IndexFunc(f.State().Servers, func(s front.ServerState) bool {
			return s.Mode == "standalone" || s.Mode == "follower"
		})
		return at >= 0
	}, 30*time.Second, 10*time.Millisecond)
	return f.Addrs()[at]
}

func run(t *testing.T, p *clients.Program, address string) string {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	lines, err := p.Run(ctx, t.TempDir(), address)
	require.NoError(t, err)
	require.Equal(t, "end", lines[len(lines)-1])
	return strings.Join(lines, "\n") + "\n"
}

func golden(p *clients.Program) string { return filepath.Join("testdata", p.Name+".txt") }

// Clients meet the same in the model as in the real server, whose outcomes are
// recorded in testdata; also those of a follower.
func TestClientsOnTheModel(t *testing.T) {
	for _, p := range clients.Programs() {
		t.Run(p.Name, func(t *testing.T) {
			if !*live && p.Name != "gozk" {
				t.Skip("run by make conform-clients")
			}
			if what := p.Missing(); what != "" {
				absent(t, what)
			}
			want, err := os.ReadFile(golden(&p))
			require.NoError(t, err)
			require.NotContains(t, string(want), "failed")
			for _, servers := range []int{1, 3} {
				require.Equal(t, string(want), run(t, &p, model(t, servers, zkmodel.NoMutant)), "%d server(s)", servers)
			}
		})
	}
}

// What is recorded is what the real server does.
func TestClientsOnTheRealServer(t *testing.T) {
	if !*live {
		t.Skip("run by make conform-clients")
	}
	s, err := conform.StartServer(conform.ServerConfig{Tick: 2 * time.Second, ContainerCheck: time.Second, TTLNodes: true})
	if errors.Is(err, conform.ErrNoServer) {
		absent(t, err.Error())
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, p := range clients.Programs() {
		t.Run(p.Name, func(t *testing.T) {
			if what := p.Missing(); what != "" {
				absent(t, what)
			}
			got := run(t, &p, s.Addr)
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(golden(&p), []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden(&p))
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// The outcomes tell a server that is none from one that is.
func TestOutcomesCanDiffer(t *testing.T) {
	p := clients.Programs()[0]
	want, err := os.ReadFile(golden(&p))
	require.NoError(t, err)
	require.NotEqual(t, string(want), run(t, &p, model(t, 1, zkmodel.SequenceReused)))
}
