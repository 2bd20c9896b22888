package scenarios

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"zoosim/sim/explore"
)

// A search is saved in a file of two gob values: savedHead, then what is of
// the search itself.
type savedHead struct {
	Format string
	Commit string
	Search identity
}

const savedFormat = "zoosim-search 2"

// identity is all that a search depends on, by name: it tells searches apart.
type identity []savedField

type savedField struct{ Name, Value string }

func (id *identity) add(name string, v any) { *id = append(*id, savedField{name, fmt.Sprint(v)}) }

// identityOf names the scenario, field by field, and the strategy.
func identityOf(v Variant, s *Scenario, strategy string) identity {
	var id identity
	id.add("variant", v.Name)
	id.add("strategy", strategy)
	fields := reflect.ValueOf(*s)
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; name != "Variant" {
			id.add(strings.ToLower(name[:1])+name[1:], fields.Field(i).Interface())
		}
	}
	return id
}

// differs is how a saved search differs from what is asked for, "" if it does
// not: by the first field that does.
func (id identity) differs(saved identity) string {
	for i, f := range id {
		switch {
		case i >= len(saved) || saved[i].Name != f.Name:
			return fmt.Sprintf("it has no %s; allowed: %s", f.Name, f.Value)
		case saved[i].Value != f.Value:
			return fmt.Sprintf("%s is %s; allowed: %s", f.Name, saved[i].Value, f.Value)
		}
	}
	return ""
}

// errNoSavedSearch says that a file is something else.
var errNoSavedSearch = errors.New("no saved search")

// writeSaved writes a search to its file.
func writeSaved(name string, id identity, body any) error {
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	if err := e.Encode(&savedHead{savedFormat, buildCommit(), id}); err != nil {
		return err
	}
	if err := e.Encode(body); err != nil {
		return err
	}
	return WriteFile(name, b.Bytes())
}

// readSaved reads a search from its file into body; it is false if there is
// none, or no name.
func readSaved(name string, id identity, body any) (bool, error) {
	if name == "" {
		return false, nil
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(filepath.Dir(name)) // it will be written there, much later
		return false, err
	}
	if err != nil {
		return false, err
	}
	d := gob.NewDecoder(bytes.NewReader(b))
	var head savedHead
	if err := d.Decode(&head); err != nil {
		return false, fmt.Errorf("%s: %w: %w", name, errNoSavedSearch, err)
	}
	switch now := buildCommit(); {
	case head.Format != savedFormat:
		return false, fmt.Errorf("%s: %w: format %q; allowed: %q", name, errNoSavedSearch, head.Format, savedFormat)
	case head.Commit != now:
		return false, fmt.Errorf("%s: the search was saved by commit %q, this is %q; allowed: the same", name, head.Commit, now)
	}
	if diff := id.differs(head.Search); diff != "" {
		return false, fmt.Errorf("%s: another search was saved: %s", name, diff)
	}
	if err := d.Decode(body); err != nil {
		return false, fmt.Errorf("%s: %w: %w", name, errNoSavedSearch, err)
	}
	return true, nil
}

// removeSaved removes the file of a search.
func removeSaved(name string) error {
	if name == "" {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// defaultSaveEvery is the time between two savings of a search.
const defaultSaveEvery = 30 * time.Second

// saveEvery is that time, 0 standing for the default.
func saveEvery(d time.Duration) time.Duration {
	if d == 0 {
		return defaultSaveEvery
	}
	return d
}

// savedSearch is how far an exhaustive search has got, in its file.
type savedSearch struct {
	// Fields are the fields of Stats in the keys.
	Fields        uint32
	NoCheckpoints string
	Progress      *explore.Progress
}

// identity tells exhaustive searches apart: the states that they visit, and how.
func (o *SearchOptions) identity(v Variant, s Scenario) identity {
	s.Untimed = true
	id := identityOf(v, &s, StrategyExhaustive)
	id.add("reductions", o.Reductions)
	id.add("interleave", o.Interleave)
	id.add("states", o.States)
	id.add("depth", o.Depth)
	return id
}

// due returns a function that says when the search is to be saved, and tells
// how far it has got.
func (sr *search) due() func(states int) bool {
	last := time.Now()
	return func(states int) bool {
		if sr.o.Progress != nil {
			sr.o.Progress(states)
		}
		if sr.o.Resume == "" || time.Since(last) < saveEvery(sr.o.SaveEvery) {
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
	return writeSaved(sr.o.Resume, sr.o.identity(sr.models[0].v, sr.s), &savedSearch{
		Fields: sr.models[0].fields, NoCheckpoints: sr.o.noCheckpoints, Progress: p,
	})
}

// readSearch reads where a search was saved; it returns nil if it was not.
func readSearch(v Variant, s Scenario, o *SearchOptions) (*savedSearch, error) {
	saved := &savedSearch{}
	ok, err := readSaved(o.Resume, o.identity(v, s), saved)
	switch {
	case err != nil || !ok:
		return nil, err
	case saved.Progress == nil:
		return nil, fmt.Errorf("%s: %w: it does not say how far it has got", o.Resume, errNoSavedSearch)
	}
	return saved, nil
}
