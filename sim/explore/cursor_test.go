package explore

import (
	"bytes"
	"encoding/gob"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source that goes on from a cursor, written and read, gives the runs that
// were still to come, wherever it was taken.
func TestSourcesGoOn(t *testing.T) {
	faults := func(pairs bool, perBase, perFirst int) *Faults {
		f := newFaults(pairs)
		f.PerBase, f.PerFirst = perBase, perFirst
		return f
	}
	for name, newSource := range map[string]func() Source{
		"seeds":         func() Source { return &Seeds{Kind: KindPCT, Seed: 9} },
		"singles":       func() Source { return faults(false, 0, 0) },
		"some singles":  func() Source { return faults(false, 4, 0) },
		"pairs":         func() Source { return faults(true, 0, 0) },
		"some pairs":    func() Source { return faults(true, 7, 2) },
		"without place": func() Source { return &Faults{Measure: extents} },
		"portfolio": func() Source {
			return &Portfolio{
				Sources: []Source{&Seeds{Kind: KindSwarm}, &Faults{Measure: extents}, faults(false, 4, 0), faults(true, 7, 2)},
				Weights: []int{3, 2, 2, 3},
			}
		},
	} {
		const ahead = 40
		var runs []Run
		var cursors []Cursor
		s := newSource()
		for range 400 {
			cursors = append(cursors, s.Cursor())
			if r, ok := s.Next(); ok {
				runs = append(runs, r)
			}
		}
		for at := 0; at+ahead <= len(runs); at++ {
			var b bytes.Buffer
			require.NoError(t, gob.NewEncoder(&b).Encode(&cursors[at]))
			var c Cursor
			require.NoError(t, gob.NewDecoder(&b).Decode(&c))
			on := newSource()
			begun := on.Cursor()
			require.True(t, c.Fits(&begun))
			on.GoOn(&c)
			for i := range ahead {
				r, ok := on.Next()
				require.True(t, ok)
				require.Equal(t, runs[at+i], r, "%s: run %d after %d", name, i, at)
			}
		}
		if len(runs) == 0 {
			on := newSource()
			on.GoOn(&cursors[len(cursors)-1])
			_, ok := on.Next()
			require.False(t, ok, name)
		}
	}
}

func TestCursorsOfOtherSources(t *testing.T) {
	begun := (&Portfolio{Sources: []Source{&Seeds{}, &Seeds{}}, Weights: []int{1, 1}}).Cursor()
	for what, c := range map[string]Cursor{
		"no parts":           {},
		"more parts":         {Parts: make([]Cursor, 3)},
		"parts of a part":    {Parts: []Cursor{{}, {Parts: make([]Cursor, 1)}}},
		"a turn too far":     {Turn: 2, Parts: make([]Cursor, 2)},
		"a turn before all":  {Turn: -1, Parts: make([]Cursor, 2)},
		"fewer than no runs": {Parts: []Cursor{{}, {Singles: -1}}},
	} {
		require.False(t, c.Fits(&begun), what)
	}
	require.True(t, begun.Fits(&begun))
}
