package checker

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Model is the sequential specification of one kind of object, with what
// [Decide] needs to know of it. Its zero value is no model: they come from
// [Models] and [ModelByName].
type Model struct {
	name string
	// what is the object in sentences: "a mutex".
	what  string
	kinds kindSet
	// check says what is wrong with the fields of an operation, "" for
	// nothing; nil checks nothing.
	check  func(*Operation) string
	engine engine
	// part splits the operations on one object further, where they are
	// independent; nil does not.
	part func(*Operation) int64
	// guess is an order worth trying as a witness; nil guesses nothing.
	guess func([]Operation) []int32
	// suspects is a part of the history that condemns the whole if it has no
	// linearization, given where the guess breaks; nil suspects nothing.
	suspects func(ops []Operation, order []int32, at int) []Operation
	// patterns decides in polynomial time, or does not; nil never does.
	patterns func([]Operation) finding
	// useless marks operations of unknown outcome that may be left out
	// without changing the verdict; nil marks none.
	useless func(ops []Operation, drop []bool)
	// explain is the sentence about the operations of a failing history that
	// must stay certain, "" if it knows none.
	explain func(*account) string
}

// Name is the model's name as [ModelByName] takes it, parameter included.
func (m Model) Name() string { return m.name }

// kindSet is a set of kinds of operations.
type kindSet uint32

func kindsOf(kinds ...OpKind) kindSet {
	var s kindSet
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

func (s kindSet) has(k OpKind) bool { return s&(1<<k) != 0 }

// modelEntry is how a model is made from its parameter.
type modelEntry struct {
	name string
	// param is what the parameter is, "" if the model has none.
	param string
	// least and normal are its smallest and its default value.
	least, normal int64
	make          func(param int64) Model
}

// modelEntries are the models in the order in which they are listed.
func modelEntries() []modelEntry {
	plain := func(m func() Model) func(int64) Model { return func(int64) Model { return m() } }
	return []modelEntry{
		{name: "mutex", make: plain(mutexOf(false))},
		{name: "reentrant-mutex", make: plain(mutexOf(true))},
		{name: "rw-lock", make: plain(rwLockOf(false))},
		{name: "reentrant-rw-lock", make: plain(rwLockOf(true))},
		{name: "semaphore", param: "permits", least: 1, normal: 1, make: semaphoreOf},
		{name: "queue", make: plain(queueModel)},
		{name: "priority-queue", make: plain(priorityQueueModel)},
		{name: "bounded-queue", param: "capacity", least: 1, normal: 1, make: boundedQueueOf},
		{name: "cas-register", param: "initial value or nil", least: None, normal: 0, make: registerOf},
		{name: "multi-register", param: "initial value or nil", least: None, normal: 0, make: multiRegisterOf},
		{name: "counter", param: "initial value", least: None + 1, normal: 0, make: counterOf},
		{name: "election", make: plain(electionModel)},
		{name: "znodes", make: plain(znodeModel)},
		{name: "sale", param: "stock", least: 0, normal: 1, make: saleOf},
	}
}

// Models lists the models, those with a parameter at its default: one permit,
// a capacity of one, registers and counters at 0, a stock of one.
func Models() []Model {
	entries := modelEntries()
	models := make([]Model, len(entries))
	for i, e := range entries {
		models[i] = e.make(e.normal)
	}
	return models
}

// ErrNoModel is the error of [ModelByName] for a name that it does not know
// or a parameter that it does not take.
var ErrNoModel = errors.New("checker: no such model")

// ModelByName is the model with that name. A model with a parameter takes it
// behind a colon: semaphore:3, bounded-queue:10, sale:100, counter:5,
// cas-register:nil. Without it the parameter is the default of [Models]. The
// error wraps [ErrNoModel] and says what is allowed.
func ModelByName(name string) (Model, error) {
	base, text, given := strings.Cut(name, ":")
	entries := modelEntries()
	for _, e := range entries {
		if e.name != base {
			continue
		}
		param := e.normal
		if given {
			var err error
			if param, err = e.parse(text); err != nil {
				return Model{}, err
			}
		}
		return e.make(param), nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	return Model{}, fmt.Errorf("%w: %q, want one of %s", ErrNoModel, base, strings.Join(names, ", "))
}

// parse reads a parameter.
func (e *modelEntry) parse(text string) (int64, error) {
	if e.param == "" {
		return 0, fmt.Errorf("%w: %s takes no parameter, and got %q", ErrNoModel, e.name, text)
	}
	if text == "nil" && e.least == None {
		return None, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < e.least {
		return 0, fmt.Errorf("%w: %s:%s: %s is a whole number%s", ErrNoModel, e.name, text, e.param, e.from())
	}
	return n, nil
}

// from says which numbers a parameter may be.
func (e *modelEntry) from() string {
	if e.least < 0 {
		return ""
	}
	return " from " + strconv.FormatInt(e.least, 10) + " on"
}

// withParam is a model's name with its parameter.
func withParam(name string, param int64) string {
	if param == None {
		return name + ":nil"
	}
	return name + ":" + strconv.FormatInt(param, 10)
}

// unfit says why the history cannot be judged by the model, "" if it can.
func (m *Model) unfit(ops []Operation) string {
	if m.engine == nil {
		return "there is no model"
	}
	for i := range ops {
		if why := m.misfit(&ops[i]); why != "" {
			return "operation " + strconv.Itoa(i) + " (" + ops[i].Kind.String() + " of " + name(ops[i].Client) + ") " + why
		}
	}
	return ""
}

// misfit says what is wrong with an operation, "" for nothing.
func (m *Model) misfit(op *Operation) string {
	switch {
	case !m.kinds.has(op.Kind):
		return "is no operation of " + m.what
	case op.Outcome > OutcomeUnknown:
		return "has no such outcome as " + strconv.Itoa(int(op.Outcome))
	case op.Outcome == OutcomeOK && op.Return < op.Call:
		return "returns before it is called"
	case m.check == nil || op.Outcome == OutcomeFailed:
		return ""
	}
	return m.check(op)
}
