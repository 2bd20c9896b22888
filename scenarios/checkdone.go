package scenarios

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"zoosim/sim/explore"
)

// doneRuns is what a search of runs has shown so far. Only the first runs, up
// to one that is not made yet, are counted: they are the same whoever made
// which, and the search can go on behind them.
type doneRuns struct {
	mu     sync.Mutex
	total  tally
	behind explore.Cursor // where the source was behind them, if the search is saved
	late   []*runChunk    // done, but behind one that is not
	saved  time.Time

	// Of all runs that are done, for progress.
	runs   int
	failed uint32 // properties, by bit
	marked uint64 // marks, by bit
}

// add takes in runs that were made, and saves the search if it is time.
func (x *explorer) add(c *runChunk) error {
	d := &x.done
	d.mu.Lock()
	defer d.mu.Unlock()
	d.show(&c.shown)
	if x.o.Progress != nil {
		x.o.Progress(x.progress())
	}
	d.late = append(d.late, c)
	next := func(c *runChunk) bool { return c.first == d.total.Runs }
	for i := slices.IndexFunc(d.late, next); i >= 0; i = slices.IndexFunc(d.late, next) {
		d.total.add(&d.late[i].shown)
		d.behind = d.late[i].behind
		d.late = slices.Delete(d.late, i, i+1)
	}
	if x.o.Resume == "" || time.Since(d.saved) < saveEvery(x.o.SaveEvery) {
		return nil
	}
	return x.save()
}

// show takes over what is shown while the search goes on.
func (d *doneRuns) show(t *tally) {
	d.runs += t.Runs
	for i := range t.Verdicts {
		if t.Verdicts[i].Failures > 0 {
			d.failed |= 1 << i
		}
	}
	for i, n := range t.Marks {
		if n > 0 {
			d.marked |= 1 << i
		}
	}
}

// progress is how far the search has got.
func (x *explorer) progress() ExploreProgress {
	pr := ExploreProgress{Runs: x.done.runs, MaxRuns: x.o.Runs, MaxMarks: len(Marks())}
	for i, p := range x.variant.Properties() {
		if x.done.failed>>i&1 == 1 {
			pr.Violations = append(pr.Violations, p)
		}
	}
	for i := range Marks() {
		if x.done.marked>>i&1 == 1 {
			pr.Marks++
		}
	}
	return pr
}

// savedRuns is how far a search of runs has got, in its file.
type savedRuns struct {
	Tally  tally
	Behind explore.Cursor
}

// identity is what tells searches of runs apart: all that the runs of one
// depend on.
func (x *explorer) identity() identity {
	id := identityOf(x.variant, &x.s, x.o.Strategy)
	id.add("runs", x.o.Runs)
	id.add("seed", x.o.Seed)
	return id
}

// save writes where the search stands; the next time is counted from now.
func (x *explorer) save() error {
	if x.o.Resume == "" {
		return nil
	}
	x.done.saved = time.Now()
	return writeSaved(x.o.Resume, x.identity(), &savedRuns{x.done.total, x.done.behind})
}

// goOn takes up a search that was saved, if it was.
func (x *explorer) goOn() error {
	x.done.saved = time.Now()
	x.done.behind = x.queue.source.Cursor()
	var saved savedRuns
	ok, err := readSaved(x.o.Resume, x.identity(), &saved)
	if err != nil || !ok {
		return err
	}
	t := &saved.Tally
	if t.Runs < 0 || !saved.Behind.Fits(&x.done.behind) {
		return fmt.Errorf("%s: %w: it does not say how far it has got", x.o.Resume, errNoSavedSearch)
	}
	if len(t.Verdicts) != len(x.done.total.Verdicts) || len(t.Findings) != len(x.done.total.Findings) {
		return fmt.Errorf("%s: %w: %d properties and %d known faults; allowed: %d and %d", x.o.Resume, errNoSavedSearch,
			len(t.Verdicts), len(t.Findings), len(x.done.total.Verdicts), len(x.done.total.Findings))
	}
	x.done.total, x.done.behind = *t, saved.Behind
	x.done.show(t)
	x.queue.given = t.Runs
	x.queue.source.GoOn(&saved.Behind)
	return nil
}

// forget removes the file of a search that has come to its end: all runs are
// made, and nothing behind them was left out.
func (x *explorer) forget(ctx context.Context) error {
	if !x.queue.over || ctx.Err() != nil {
		return nil
	}
	return removeSaved(x.o.Resume)
}
