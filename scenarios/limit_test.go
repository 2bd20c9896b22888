package scenarios

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
	"zoosim/zkmodel/wire"
)

// What each queue makes of an item that is too long for the frame of a request,
// and of one that is too long for the frame of a reply alone.
func TestItemsOverTheLimit(t *testing.T) {
	for _, name := range []string{"refused", "unreadable"} {
		s, err := ReadFile(filepath.Join("testdata", "limit", name+".yaml"))
		require.NoError(t, err)
		var told strings.Builder
		for _, v := range Variants("queue") {
			s.Variant = v.Name
			r := newRunner(t, s)
			out := r.Run(sim.NewRandom(1))
			fmt.Fprintf(&told, "%s\n", v.Name)
			for _, e := range r.History() {
				if text := tellQueue(&e); text != "" {
					fmt.Fprintf(&told, "%9.3fs %s %s\n", e.At.Seconds(), checker.ClientName(int(e.Client)), text)
				}
			}
			m := r.Metrics()
			fmt.Fprintf(&told, "  requests served: %v\n", reportMetrics(m).Requests)
			for _, f := range failures(out) {
				fmt.Fprintf(&told, "  FAILS %s\n", f)
			}
			r.Close()
		}
		golden(t, "limit/"+name+".txt", told.String())
	}
}

// The limit is where the real server has it: see TestItemOverTheLimitOnTheRealServer.
func TestLongestItem(t *testing.T) {
	around := 8 + 4 + len("/queue/queue-") + 4 + 4 + 4 + 4 + len("world") + 4 + len("anyone") + 4
	for _, c := range []struct {
		bytes int
		taken bool
	}{{wire.DefaultMaxFrame - around, true}, {wire.DefaultMaxFrame - around + 1, false}} {
		s := once("queue/zkdocs", ModeBlocking)
		s.Clients, s.Producers, s.Consumers, s.ItemBytes = 1, 1, 0, c.bytes
		r := newRunner(t, s)
		r.Run(sim.NewRandom(1))
		stored, ended := 0, ""
		for _, e := range r.History() {
			switch e.Kind {
			case checker.ItemCreate:
				stored++
			case checker.PutEnd:
				ended = e.Text
			}
		}
		require.Equal(t, c.taken, ended == "", ended)
		require.Equal(t, c.taken, stored == 1)
	}
}

// Lengths cost nothing where nothing is long: a run of items that are short is
// the same run as one without the setting.
func TestShortItemsAreFree(t *testing.T) {
	s := Default("queue/zkdocs")
	plain := newRunner(t, s).Run(sim.NewRandom(1))
	s.ItemBytes = 100
	require.Equal(t, plain.Hash, newRunner(t, s).Run(sim.NewRandom(1)).Hash)
}
