package scenarios

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"zoosim/sim/explore"
)

// savedSearch is the contents of the file in which an exhaustive search is
// saved.
type savedSearch struct {
	Format string
	Commit string
	// Search is the scenario and all that the search depends on, in words.
	Search string
	// Fields are the fields of Stats in the keys.
	Fields        uint32
	NoCheckpoints string
	Progress      *explore.Progress
}

const savedFormat = "zoosim-search 1"

// defaultSaveEvery is the time between two savings of a search.
const defaultSaveEvery = 30 * time.Second

// searchText tells searches apart: the states that they visit, and how.
func searchText(v Variant, s Scenario, o *SearchOptions) string {
	s.Untimed = true
	return fmt.Sprintf("%s; %+v; reductions %s, interleave %v, states %d, depth %d",
		v.Name, s, o.Reductions, o.Interleave, o.States, o.Depth)
}

// due returns a function that says when the search is to be saved, and tells
// how far it has got.
func (sr *search) due() func(states int) bool {
	every := sr.o.SaveEvery
	if every == 0 {
		every = defaultSaveEvery
	}
	last := time.Now()
	return func(states int) bool {
		if sr.o.Progress != nil {
			sr.o.Progress(states)
		}
		if sr.o.Resume == "" || time.Since(last) < every {
			return false
		}
		last = time.Now()
		return true
	}
}

// save writes where the search stands.
func (sr *search) save(p *explore.Progress) error {
	if sr.o.Resume == "" {
		return nil
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(&savedSearch{
		Format: savedFormat, Commit: buildCommit(), Search: searchText(sr.models[0].v, sr.s, sr.o),
		Fields: sr.models[0].fields, NoCheckpoints: sr.o.noCheckpoints, Progress: p,
	})
	if err != nil {
		return err
	}
	return WriteFile(sr.o.Resume, b.Bytes())
}

// readSearch reads where a search was saved; it returns nil if it was not.
func readSearch(v Variant, s Scenario, o *SearchOptions) (*savedSearch, error) {
	if o.Resume == "" {
		return nil, nil
	}
	b, err := os.ReadFile(o.Resume)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	saved := &savedSearch{}
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(saved)
	switch want := searchText(v, s, o); {
	case err != nil:
		return nil, fmt.Errorf("%s: no saved search: %w", o.Resume, err)
	case saved.Format != savedFormat || saved.Progress == nil:
		return nil, fmt.Errorf("%s: no saved search: format %q; allowed: %q", o.Resume, saved.Format, savedFormat)
	case saved.Commit != buildCommit():
		return nil, fmt.Errorf("%s: the search was saved by commit %q, this is %q; allowed: the same", o.Resume, saved.Commit, buildCommit())
	case saved.Search != want:
		return nil, fmt.Errorf("%s: another search was saved: %s; allowed: %s", o.Resume, saved.Search, want)
	}
	return saved, nil
}

// removeSearch removes the file in which a search was saved.
func removeSearch(o *SearchOptions) error {
	if o.Resume == "" {
		return nil
	}
	if err := os.Remove(o.Resume); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
