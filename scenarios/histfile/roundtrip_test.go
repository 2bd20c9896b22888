package histfile_test

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"zoosim/checker"
	"zoosim/scenarios/histfile"
)

// drawFields gives an operation of a model its kind, input and, if it is ok,
// output.
func drawFields(t *rapid.T, model string, op *checker.Operation) {
	number := func(name string) int64 { return rapid.Int64Range(-3, 1<<40).Draw(t, name) }
	maybe := func(name string) int64 {
		if rapid.Bool().Draw(t, name+" is none") {
			return checker.None
		}
		return number(name)
	}
	kind := func(kinds ...checker.OpKind) { op.Kind = rapid.SampledFrom(kinds).Draw(t, "kind") }
	yes := func() int64 { return int64(rapid.IntRange(0, 1).Draw(t, "yes")) }
	text := func(name string) string { return rapid.StringMatching(`[a-z ":\\é]{0,6}`).Draw(t, name) }
	told := op.Outcome == checker.OutcomeOK
	out := func(v int64) {
		if told {
			op.Out = v
		}
	}
	owner := func() { op.In = rapid.Int64Range(1, 9).Draw(t, "owner") }
	switch base, _, _ := strings.Cut(model, ":"); base {
	case "mutex", "reentrant-mutex":
		kind(checker.OpAcquire, checker.OpRelease, checker.OpLose)
		owner()
	case "semaphore":
		kind(checker.OpAcquire, checker.OpRelease, checker.OpLose)
		owner()
		if op.Kind != checker.OpLose {
			op.In2 = rapid.Int64Range(0, 3).Draw(t, "permits")
		}
	case "rw-lock", "reentrant-rw-lock":
		kind(checker.OpAcquireRead, checker.OpAcquireWrite, checker.OpReleaseRead, checker.OpReleaseWrite, checker.OpLose)
		owner()
	case "queue", "bounded-queue", "priority-queue":
		kind(checker.OpEnqueue, checker.OpDequeue)
		switch {
		case op.Kind == checker.OpDequeue:
			out(maybe("value"))
		case base == "priority-queue":
			op.In, op.In2 = number("value"), number("priority")
		case base == "bounded-queue":
			op.In = number("value")
			if yes() == 0 {
				out(checker.None)
			}
		default:
			op.In = number("value")
		}
	case "cas-register":
		kind(checker.OpRead, checker.OpWrite, checker.OpCAS)
		switch op.Kind {
		case checker.OpRead:
			out(maybe("value"))
		case checker.OpWrite:
			op.In = number("value")
		default:
			op.In, op.In2 = maybe("from"), number("to")
			out(yes())
		}
	case "multi-register":
		kind(checker.OpTransaction)
		op.Accesses = []checker.Access{}
		for range rapid.IntRange(1, 3).Draw(t, "accesses") {
			a := checker.Access{Key: rapid.SampledFrom([]string{"x", "y", "7"}).Draw(t, "key"), Write: yes() == 1}
			if a.Write {
				a.Value = number("value")
			} else if a.Value = checker.None; told {
				a.Value = maybe("value")
			}
			op.Accesses = append(op.Accesses, a)
		}
	case "counter":
		kind(checker.OpRead, checker.OpAdd)
		if op.Kind == checker.OpRead {
			out(number("value"))
			break
		}
		op.In = number("summand")
		out(maybe("sum"))
	case "sale":
		kind(checker.OpRead, checker.OpBuy)
		if op.Kind == checker.OpRead {
			out(number("left"))
			break
		}
		op.In = rapid.Int64Range(1, 9).Draw(t, "pieces")
		out(yes())
	case "election":
		kind(checker.OpLead, checker.OpRead)
		op.In2 = number("term")
		if op.Kind == checker.OpLead {
			op.In = number("candidate")
		} else {
			out(maybe("leader"))
		}
	case "znodes":
		kind(checker.OpCreate, checker.OpDelete, checker.OpSet, checker.OpGet, checker.OpExists, checker.OpChildren, checker.OpClose)
		if op.Kind != checker.OpClose {
			op.Key = "/" + text("path")
		}
		switch op.Kind {
		case checker.OpCreate:
			op.Data, op.In, op.In2 = text("data"), rapid.Int64Range(0, 9).Draw(t, "session"), yes()
		case checker.OpSet:
			op.Data, op.In = text("data"), rapid.Int64Range(-1, 9).Draw(t, "version")
		case checker.OpDelete:
			op.In = rapid.Int64Range(-1, 9).Draw(t, "version")
		case checker.OpClose:
			op.In = rapid.Int64Range(1, 9).Draw(t, "session")
		}
		if !told {
			break
		}
		op.Out = checker.None
		if op.Kind == checker.OpClose {
			break
		}
		if yes() == 0 {
			op.Out2 = -101
			break
		}
		switch op.Kind {
		case checker.OpCreate:
			if op.In2 == 1 {
				op.Result = "/made" + text("suffix")
			}
		case checker.OpGet:
			op.Result, op.Out = text("data"), number("version")
		case checker.OpSet, checker.OpExists:
			op.Out = number("version")
		case checker.OpChildren:
			op.Result, op.Out = rapid.SampledFrom([]string{"", "a", "a,b"}).Draw(t, "children"), number("version")
		}
	default:
		t.Fatalf("no operations of %s", model)
	}
}

// drawOperations is a history of three clients of which each does one operation
// at a time, of any outcome.
func drawOperations(t *rapid.T, model string) []checker.Operation {
	stamp, running := int64(0), map[int32]int{}
	var ops []checker.Operation
	for range rapid.IntRange(1, 24).Draw(t, "events") {
		stamp++
		client := int32(rapid.IntRange(0, 2).Draw(t, "client"))
		if k, busy := running[client]; busy {
			delete(running, client)
			if ops[k].Outcome != checker.OutcomeUnknown {
				ops[k].Return, ops[k].ReturnAt = stamp, time.Duration(stamp)
			}
			continue
		}
		op := checker.Operation{
			Client: client, Call: stamp, CallAt: time.Duration(stamp),
			Outcome: rapid.SampledFrom([]checker.Outcome{checker.OutcomeOK, checker.OutcomeOK, checker.OutcomeFailed, checker.OutcomeUnknown}).Draw(t, "outcome"),
			Object:  rapid.SampledFrom([]string{"", "a", "b:c"}).Draw(t, "object"),
		}
		drawFields(t, model, &op)
		running[client] = len(ops)
		ops = append(ops, op)
	}
	for _, k := range running { // what is still running never returned
		if ops[k].Outcome != checker.OutcomeUnknown {
			ops[k].Return, ops[k].ReturnAt = int64(1000+k), time.Duration(1000+k)
		}
	}
	return ops
}

// kept is the operations with what a file keeps of them: clients but for
// their processes, and the order of the stamps.
func kept(ops []checker.Operation) []checker.Operation {
	clients := int32(0)
	for _, op := range ops {
		clients = max(clients, op.Client+1)
	}
	var stamps []int64
	for _, op := range ops {
		stamps = append(stamps, op.Call)
		if op.Outcome != checker.OutcomeUnknown {
			stamps = append(stamps, op.Return)
		}
	}
	slices.Sort(stamps)
	rank := func(s int64) int64 {
		return int64(sort.Search(len(stamps), func(i int) bool { return stamps[i] >= s }))
	}
	all := slices.Clone(ops)
	for i := range all {
		op := &all[i]
		op.Call = rank(op.Call)
		if op.Outcome == checker.OutcomeUnknown {
			op.Return, op.ReturnAt = 0, 0
		} else {
			op.Return = rank(op.Return)
		}
		if op.Outcome != checker.OutcomeOK {
			op.Out, op.Out2, op.Result = 0, 0, ""
		}
	}
	return all
}

// What is written is read as the same operations, for every model.
func TestWrittenAndRead(t *testing.T) {
	for _, m := range checker.Models() {
		t.Run(m.Name(), rapid.MakeCheck(func(t *rapid.T) {
			ops := drawOperations(t, m.Name())
			h, err := histfile.New(m.Name(), ops)
			require.NoError(t, err)
			for _, form := range []histfile.Form{histfile.EDN, histfile.JSONLines} {
				var file bytes.Buffer
				require.NoError(t, histfile.Write(&file, form, h))
				again, err := histfile.Parse(file.Bytes(), form, m.Name())
				require.NoError(t, err, file.String())
				clients := int32(0)
				for _, op := range ops {
					clients = max(clients, op.Client+1)
				}
				read := slices.Clone(again.Operations)
				for i := range read {
					read[i].Client %= clients
				}
				require.Equal(t, fmt.Sprintf("%+v", kept(ops)), fmt.Sprintf("%+v", kept(read)), file.String())
			}
		}))
	}
}
