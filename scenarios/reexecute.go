package scenarios

import (
	"context"
	"errors"
	"fmt"

	"zoosim/sim/explore"
)

// StrategyExhaustive visits every state with a memo of what code does,
// StrategyReexecute by running it. Both are for [ExploreStates].
const (
	StrategyExhaustive = "exhaustive"
	StrategyReexecute  = "reexecute"
)

// ReexecuteOptions are the settings of [Reexecute].
type ReexecuteOptions struct {
	// Reductions are the reductions that are on. Symmetry and Sleep do not go
	// together; Checkpoint changes nothing.
	Reductions Reductions
	// Uncached visits a state as often as it is reached, and lets a process
	// without callbacks take what it is told and run to its next wait in one
	// step. Together with no reductions it asks nothing of the code but that
	// the same transitions lead to the same run.
	Uncached bool
	// States bounds the states visited, 0 for no bound; Depth the length of a
	// path.
	States, Depth int
	_             struct{}
}

// Reexecute visits every state of a scenario in untimed mode, as [Exhaustive]
// does, but every transition of every path is carried out by real tasks; to go
// back, a run is taken from the beginning once more. It is the oracle of
// Exhaustive and takes its place where a recipe cannot be memoised. Its
// counterexamples are those that it met first. It uses one core.
func Reexecute(ctx context.Context, s Scenario, o ReexecuteOptions) (*SearchReport, error) {
	s.Untimed = true
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if o.Reductions.Sleep && o.Reductions.Symmetry {
		return nil, errSleepSymmetry
	}
	for fields := uint32(0); ; {
		x, err := newRerun(s, fields, o.Reductions, o.Uncached)
		if err != nil {
			return nil, err
		}
		res, err := explore.Reexecute(ctx, x, explore.RerunOptions{
			Limits:   explore.Limits{States: o.States, Depth: o.Depth},
			Uncached: o.Uncached, Sleep: x.r.reductions.Sleep,
		})
		asked := x.asked
		if !o.Uncached && asked&^fields != 0 && ctx.Err() == nil && err == nil {
			// These fields of Stats belong to a state; see Exhaustive.
			fields |= asked
			x.r.Close()
			continue
		}
		defer x.r.Close()
		if err != nil {
			return nil, &NotMemoisedError{s.Variant, err, o.Uncached}
		}
		return x.report(s, res)
	}
}

// errSleepSymmetry says which reductions exclude one another.
var errSleepSymmetry = errors.New("the reductions sleep and symmetry do not go together; allowed: one of them")

// report re-executes the counterexamples once more, from their choices.
func (x *rerun) report(s Scenario, res *explore.RerunResult[move]) (*SearchReport, error) {
	if x.r.world.K.Surprised() {
		return nil, &NotMemoisedError{s.Variant, errSurprised, false}
	}
	rep := &SearchReport{
		States: res.States, Transitions: res.Transitions, Depth: res.MaxDepth, Complete: res.Complete,
		CutStates: res.CutStates, CutDepth: res.CutDepth, Runs: res.Runs, Reductions: x.r.reductions, NoSymmetry: x.noSymmetry,
	}
	for _, f := range res.Failures {
		c, err := carryOut(x.r.variant, s, f.Path, f.Bit)
		if err != nil {
			return nil, err
		}
		rep.Violations = append(rep.Violations, *c)
	}
	rep.Verdicts = verdictsOf(&x.r.variant, &s, rep)
	return rep, nil
}

// errSurprised says that code cannot be looked ahead at.
var errSurprised = errors.New("a process did something else on the same history")

// NotMemoisedError says that a recipe is no function of what it is told, so
// that a search that rests on this proves nothing.
type NotMemoisedError struct {
	Variant  string
	Err      error
	uncached bool // not even runs can be repeated
}

// Error implements error.
func (e *NotMemoisedError) Error() string {
	if e.uncached {
		return fmt.Sprintf("%s: %v; no search of states is possible", e.Variant, e.Err)
	}
	return fmt.Sprintf("%s: %v; --strategy %s --uncached --reductions none does without", e.Variant, e.Err, StrategyReexecute)
}

// Unwrap returns what was found.
func (e *NotMemoisedError) Unwrap() error { return e.Err }
