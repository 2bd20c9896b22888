package checker

import (
	"strconv"
	"strings"
	"time"
)

// account is a failing history of one object with the operations that must
// stay certain, for the sentence about it.
type account struct {
	ops    []Operation // the whole history
	heart  []Operation // those that must stay certain, by call
	trial  []Operation // the history with the others of unknown outcome
	stamps bool
}

// toldOperations is how many operations a sentence tells one by one, when
// there are more than one more.
const toldOperations = 4

// sentence explains why the kept operations cannot be.
func (r *reduction) sentence(kept []int32, whole []Operation, stamps bool) string {
	a := &account{ops: whole, stamps: stamps}
	a.trial = append(a.trial, r.ops...)
	for i := range a.trial {
		a.trial[i].Outcome = OutcomeUnknown
	}
	for _, k := range kept {
		a.trial[k].Outcome = OutcomeOK
		a.heart = append(a.heart, r.ops[k])
	}
	if r.m.explain != nil {
		if why := r.m.explain(a); why != "" {
			return why
		}
	}
	return a.listed(r.m.what)
}

// listed tells the operations themselves.
func (a *account) listed(what string) string {
	if len(a.heart) == 1 {
		return a.told(&a.heart[0]) + ", which " + what + " does not allow"
	}
	// The last of them is where the history breaks.
	last := a.heart
	earlier := ""
	if n := len(last) - toldOperations; n > 1 {
		last, earlier = last[n:], number(int64(n))+" earlier ones; "
	}
	list := make([]string, len(last))
	for i := range last {
		list[i] = a.told(&last[i])
	}
	return "no order of these " + number(int64(len(a.heart))) + " operations is allowed by " + what + ": " +
		earlier + strings.Join(list, "; ")
}

// told is an operation with its client and times.
func (a *account) told(op *Operation) string {
	return name(op.Client) + " " + describe(op) + " (" + a.called(op) + " to " + a.returned(op) + ")"
}

// called and returned are the times of an operation.
func (a *account) called(op *Operation) string   { return a.moment(op.Call, op.CallAt) }
func (a *account) returned(op *Operation) string { return a.moment(op.Return, op.ReturnAt) }

func (a *account) moment(stamp int64, at time.Duration) string {
	if a.stamps {
		return strconv.FormatInt(stamp, 10)
	}
	return seconds(at)
}

// describe is an operation with its inputs and outputs.
func describe(op *Operation) string {
	words := []string{op.Kind.String()}
	words = append(words, inputWords(op)...)
	if op.certain() {
		if out := outputWords(op); len(out) > 0 {
			words = append(append(words, "->"), out...)
		}
	}
	return strings.Join(words, " ")
}

// inputWords are what an operation was given.
func inputWords(op *Operation) []string {
	in, in2 := number(op.In), number(op.In2)
	switch op.Kind {
	case OpAcquire, OpRelease:
		if op.In2 > 1 {
			return []string{in2}
		}
	case OpEnqueue:
		if op.In2 != 0 {
			return []string{in, "with", "priority", in2}
		}
		return []string{in}
	case OpWrite, OpAdd, OpBuy:
		return []string{in}
	case OpCAS:
		return []string{in, "to", in2}
	case OpLead:
		return []string{"in", "term", in2}
	case OpTransaction:
		return accessWords(op.Accesses)
	case OpCreate, OpSet:
		return []string{op.Key, strconv.Quote(op.Data)}
	case OpDelete, OpGet, OpExists, OpChildren:
		return []string{op.Key}
	}
	return nil
}

// outputWords are what an operation was told.
func outputWords(op *Operation) []string {
	switch op.Kind {
	case OpEnqueue:
		if op.Out == None {
			return []string{"full"}
		}
	case OpDequeue:
		if op.Out == None {
			return []string{"empty"}
		}
		return []string{number(op.Out)}
	case OpRead:
		return []string{number(op.Out)}
	case OpAdd:
		if op.Out != None {
			return []string{number(op.Out)}
		}
	case OpCAS, OpBuy:
		return []string{[2]string{"no", "yes"}[op.Out]}
	case OpCreate, OpDelete, OpSet, OpGet, OpExists, OpChildren:
		if op.Out2 != 0 {
			return []string{"error", number(op.Out2)}
		}
		var words []string
		version := "version"
		switch op.Kind {
		case OpDelete:
			return nil
		case OpCreate:
			if op.In2 != 0 {
				return []string{op.Result}
			}
			return nil
		case OpGet:
			words = []string{strconv.Quote(op.Result)}
		case OpChildren:
			words = []string{"[" + op.Result + "]"}
			version = "cversion"
		}
		if op.Out != None {
			words = append(words, version, number(op.Out))
		}
		return words
	}
	return nil
}

// accessWords are the accesses of a transaction.
func accessWords(accesses []Access) []string {
	words := make([]string, len(accesses))
	for i, a := range accesses {
		verb := "read"
		if a.Write {
			verb = "write"
		}
		words[i] = "[" + verb + " " + a.Key + " " + number(a.Value) + "]"
	}
	return words
}

// number is a value, or what stands for none.
func number(v int64) string {
	if v == None {
		return "nothing"
	}
	return strconv.FormatInt(v, 10)
}
