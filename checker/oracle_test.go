package checker

import (
	"fmt"
	"strings"
)

// The oracle is a decider by brute force that shares nothing with the package
// but the type Operation: it tries every order of up to a dozen operations,
// on all objects at once, against specifications of its own whose states are
// strings.

// oracleSpec runs an operation in a state: what it is told there, and the
// state after it; can is false if it has to wait.
type oracleSpec func(state string, op Operation) (next string, told Operation, can bool)

// oracle is one decision.
type oracle struct {
	spec  oracleSpec
	start string
	ops   []Operation
	seen  map[string]bool
}

// oracleAllows is true if the operations have a linearization.
func oracleAllows(spec oracleSpec, start string, ops []Operation) bool {
	o := &oracle{spec: spec, start: start, seen: map[string]bool{}}
	for _, op := range ops {
		if op.Outcome != OutcomeFailed {
			o.ops = append(o.ops, op)
		}
	}
	return o.from(make([]bool, len(o.ops)), map[string]string{})
}

// from is true if what is not done can still take effect.
func (o *oracle) from(done []bool, states map[string]string) bool {
	over := true
	key := fmt.Sprint(done, states) // fmt sorts maps
	if o.seen[key] {
		return false
	}
	o.seen[key] = true
	for i, op := range o.ops {
		over = over && (done[i] || op.Outcome == OutcomeUnknown)
	}
	if over {
		return true
	}
	for i, op := range o.ops {
		if done[i] || !o.mayBeNext(done, op) {
			continue
		}
		state, known := states[op.Object]
		if !known {
			state = o.start
		}
		next, told, can := o.spec(state, op)
		if !can || op.Outcome == OutcomeOK && !oracleTold(op, told) {
			continue
		}
		after := map[string]string{}
		for k, v := range states {
			after[k] = v
		}
		after[op.Object] = next
		done[i] = true
		if o.from(done, after) {
			return true
		}
		done[i] = false
	}
	return false
}

// mayBeNext is false if an operation that is not done was over before.
func (o *oracle) mayBeNext(done []bool, op Operation) bool {
	for i, p := range o.ops {
		if !done[i] && p.Outcome == OutcomeOK && p.Return < op.Call {
			return false
		}
	}
	return true
}

// oracleTold is true if an operation was told what it would be told here.
func oracleTold(op, told Operation) bool {
	switch op.Kind {
	case OpDequeue, OpCAS, OpBuy, OpRead, OpEnqueue:
		return op.Out == told.Out
	case OpAdd:
		return op.Out == None || op.Out == told.Out
	case OpTransaction:
		return fmt.Sprint(op.Accesses) == fmt.Sprint(told.Accesses)
	case OpCreate:
		return op.Out2 == told.Out2 && (op.In2 == 0 || op.Out2 != 0 || op.Result == told.Result)
	case OpDelete, OpClose:
		return op.Out2 == told.Out2
	case OpSet, OpExists:
		return op.Out2 == told.Out2 && (op.Out2 != 0 || op.Out == None || op.Out == told.Out)
	case OpGet, OpChildren:
		return op.Out2 == told.Out2 &&
			(op.Out2 != 0 || op.Result == told.Result && (op.Out == None || op.Out == told.Out))
	}
	return true
}

// words takes a state apart and join puts it together.
func words(state string) []string { return strings.Fields(state) }
func join(list []string) string   { return strings.Join(list, " ") }
func word(v ...any) string {
	return strings.TrimSpace(strings.ReplaceAll(fmt.Sprintln(v...), " ", ":"))
}
func numberOf(text string) (n int64) { _, _ = fmt.Sscan(text, &n); return n }

// without is the list without the first n of a word; ok is false if there are
// fewer.
func without(list []string, w string, n int) (rest []string, ok bool) {
	for _, x := range list {
		if x == w && n > 0 {
			n--
			continue
		}
		rest = append(rest, x)
	}
	return rest, n == 0
}

// oracleMutex holds one word for each hold.
func oracleMutex(reentrant bool) oracleSpec {
	return func(state string, op Operation) (string, Operation, bool) {
		held, owner := words(state), word(op.In)
		mine := len(held) > 0 && held[0] == owner
		switch op.Kind {
		case OpAcquire:
			return join(append(held, owner)), op, len(held) == 0 || mine && reentrant
		case OpLose:
			return "", op, mine
		}
		rest, ok := without(held, owner, 1)
		return join(rest), op, ok
	}
}

func oracleRWLock(reentrant bool) oracleSpec {
	return func(state string, op Operation) (string, Operation, bool) {
		held, read, write := words(state), word("r", op.In), word("w", op.In)
		writer := ""
		for _, h := range held {
			if h[0] == 'w' {
				writer = h
			}
		}
		again := reentrant && writer == write
		switch op.Kind {
		case OpAcquireRead:
			return join(append(held, read)), op, writer == "" || again
		case OpAcquireWrite:
			return join(append(held, write)), op, len(held) == 0 || again
		case OpReleaseRead:
			rest, ok := without(held, read, 1)
			return join(rest), op, ok
		case OpReleaseWrite:
			rest, ok := without(held, write, 1)
			return join(rest), op, ok
		}
		var rest []string
		for _, h := range held {
			if h != read && h != write {
				rest = append(rest, h)
			}
		}
		return join(rest), op, len(rest) < len(held)
	}
}

func oracleSemaphore(permits int) oracleSpec {
	return func(state string, op Operation) (string, Operation, bool) {
		held, owner := words(state), word(op.In)
		n := int(op.In2)
		if n == 0 {
			n = 1
		}
		switch op.Kind {
		case OpAcquire:
			for range n {
				held = append(held, owner)
			}
			return join(held), op, len(held) <= permits
		case OpRelease:
			rest, ok := without(held, owner, n)
			return join(rest), op, ok
		}
		rest, _ := without(held, owner, len(held))
		return join(rest), op, len(rest) < len(held)
	}
}

// oracleQueue holds values in the order of their enqueues; next picks the one
// that is served next.
func oracleQueue(capacity int, next func(list []string) int) oracleSpec {
	return func(state string, op Operation) (string, Operation, bool) {
		list := words(state)
		if op.Kind == OpEnqueue {
			if capacity >= 0 && len(list) >= capacity {
				op.Out = None
				return state, op, true
			}
			if op.Out == None && capacity >= 0 {
				op.Out = 0
			}
			return join(append(list, word(op.In2, op.In))), op, true
		}
		if len(list) == 0 {
			op.Out = None
			return state, op, true
		}
		at := next(list)
		op.Out = numberOf(list[at][strings.Index(list[at], ":")+1:])
		rest, _ := without(list, list[at], 1)
		return join(rest), op, true
	}
}

func oldest([]string) int { return 0 }

func mostUrgent(list []string) int {
	best := 0
	for i, w := range list {
		if numberOf(w[:strings.Index(w, ":")]) < numberOf(list[best][:strings.Index(list[best], ":")]) {
			best = i
		}
	}
	return best
}

func oracleRegister(state string, op Operation) (string, Operation, bool) {
	value := numberOf(state)
	switch op.Kind {
	case OpRead:
		op.Out = value
	case OpWrite:
		value = op.In
	case OpCAS:
		op.Out = 0
		if value == op.In {
			op.Out, value = 1, op.In2
		}
	}
	return word(value), op, true
}

func oracleMultiRegister(state string, op Operation) (string, Operation, bool) {
	values := map[string]int64{"x": 0, "y": 0, "z": 0}
	_, _ = fmt.Sscan(state, ptr(values, "x"), ptr(values, "y"), ptr(values, "z"))
	told := op
	told.Accesses = nil
	for _, a := range op.Accesses {
		if a.Write {
			values[a.Key] = a.Value
		}
		a.Value = values[a.Key]
		told.Accesses = append(told.Accesses, a)
	}
	return fmt.Sprint(values["x"], values["y"], values["z"]), told, true
}

// scanned lets fmt scan into a map.
type scanned struct {
	values map[string]int64
	key    string
}

func ptr(values map[string]int64, key string) *scanned { return &scanned{values, key} }

func (s *scanned) Scan(state fmt.ScanState, _ rune) error {
	token, err := state.Token(true, nil)
	s.values[s.key] = numberOf(string(token))
	return err
}

func oracleCounter(state string, op Operation) (string, Operation, bool) {
	value := numberOf(state)
	if op.Kind == OpAdd {
		value += op.In
	}
	op.Out = value
	return word(value), op, true
}

// oracleElection holds term:leader.
func oracleElection(state string, op Operation) (string, Operation, bool) {
	leader := None
	for _, w := range words(state) {
		if term, who, _ := strings.Cut(w, ":"); numberOf(term) == op.In2 {
			leader = numberOf(who)
		}
	}
	if op.Kind == OpRead {
		op.Out = leader
		return state, op, true
	}
	if leader != None {
		return state, op, leader == op.In
	}
	return join(append(words(state), word(op.In2, op.In))), op, true
}

func oracleSale(state string, op Operation) (string, Operation, bool) {
	left := numberOf(state)
	if op.Kind == OpRead {
		op.Out = left
		return state, op, true
	}
	op.Out = 0
	if left >= op.In {
		op.Out, left = 1, left-op.In
	}
	return word(left), op, true
}
