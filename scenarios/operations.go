package scenarios

import (
	"strconv"

	"zoosim/checker"
)

// Operations is what the clients of a run did to the recipe's object.
type Operations struct {
	// Model is its model, as [checker.ModelByName] takes the name.
	Model string
	List  []checker.Operation
}

// operated is a judge of a family whose object has a model.
type operated interface {
	operations(r *Runner) *Operations
}

// operations is that of the last run, nil if the object has no model.
func (r *Runner) operations() *Operations {
	if j, ok := r.monitor.judge.(operated); ok {
		return j.operations(r)
	}
	return nil
}

func (j *lockJudge) operations(r *Runner) *Operations {
	o := checker.LinearizableOptions{Reentrant: r.variant.Reentrant, StopsAtDisconnect: r.variant.StopsAtDisconnect}
	model := "mutex"
	if o.Reentrant {
		model = "reentrant-mutex"
	}
	return &Operations{model, checker.LockOperations(r.history, o)}
}

func (j *queueJudge) operations(r *Runner) *Operations {
	model := "queue"
	if r.variant.Priorities {
		model = "priority-queue"
	}
	return &Operations{model, checker.QueueOperations(r.history)}
}

func (j *sharedJudge) operations(r *Runner) *Operations {
	o := checker.SharedOptions{
		Semaphore: r.s.Leases > 0, Reentrant: r.variant.Reentrant, StopsAtDisconnect: r.variant.StopsAtDisconnect,
	}
	model := "rw-lock"
	switch {
	case o.Semaphore:
		model = "semaphore:" + strconv.Itoa(r.s.Leases)
	case o.Reentrant:
		model = "reentrant-rw-lock"
	}
	return &Operations{model, checker.SharedOperations(r.history, o)}
}
