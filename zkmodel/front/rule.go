package front

import (
	"fmt"
	"strings"
	"time"

	"zoosim/zkmodel"
)

// Fault is what a [Rule] does.
type Fault string

// The faults. Those that name a session mean its client; a session's number
// is its place in the order in which sessions were made, from 1.
const (
	// CutRequest loses the request that the rule waits for and closes its
	// connection.
	CutRequest Fault = "cut-request"
	// CutReply carries the request out, loses the reply and closes the
	// connection.
	CutReply Fault = "cut-reply"
	// Cut closes the session's connection.
	Cut Fault = "cut"
	// Partition lets nothing through between the session's client and the
	// servers for a time, on connections that it has or opens.
	Partition Fault = "partition"
	// Expiry ends the session.
	Expiry Fault = "expiry"
	// Crash stops a server of an ensemble, for a time or for ever; what is on
	// its disk stays.
	Crash Fault = "crash"
	// LeaderCrash does that to the server that leads at the time.
	LeaderCrash Fault = "leader-crash"
)

// faultNeeds says what the fields of a fault are.
type faultNeeds struct {
	fault   Fault
	session bool // may name one; without, it is that of the request
	time    need
	server  need
}

// need says whether a field belongs to a fault.
type need uint8

const (
	never need = iota
	maybe
	must
)

var faults = [...]faultNeeds{
	{CutRequest, false, never, never},
	{CutReply, false, never, never},
	{Cut, true, never, never},
	{Partition, true, must, never},
	{Expiry, true, never, never},
	{Crash, false, maybe, must},
	{LeaderCrash, false, maybe, never},
}

func (f Fault) needs() (faultNeeds, bool) {
	for _, n := range faults {
		if n.fault == f {
			return n, true
		}
	}
	return faultNeeds{}, false
}

// FaultNames lists the faults.
func FaultNames() string {
	var names []string
	for _, n := range faults {
		names = append(names, string(n.fault))
	}
	return strings.Join(names, ", ")
}

// Rule is one fault and the request at which it strikes: the Count-th that
// fits since the rule was added, just before it is carried out. A rule strikes
// once.
type Rule struct {
	Do Fault `yaml:"do" json:"do"`

	// Session is the number of the session that the fault is about; 0 is that
	// of the request.
	Session int `yaml:"session" json:"session,omitempty"`
	// Server is the number of the server that crashes, from 1.
	Server int `yaml:"server" json:"server,omitempty"`
	// For is how long a partition lasts, or how long a server is down (0: for
	// ever).
	For time.Duration `yaml:"for" json:"for,omitempty"`

	// Op is the type of requests that count, as "create"; that stands for
	// create2, createContainer and createTTL as well, and "getChildren" for
	// getChildren2. Empty: all types but connect and ping.
	Op string `yaml:"op" json:"op,omitempty"`
	// Path is the znode that they must be about, itself or what is below it.
	Path string `yaml:"path" json:"path,omitempty"`
	// By is the number of the session that they must come from.
	By int `yaml:"by" json:"by,omitempty"`
	// Count says which of them it is, from 1, which is also the default.
	Count int `yaml:"count" json:"count,omitempty"`

	_ struct{}
}

// FieldError says what is wrong with a field of a [Rule].
type FieldError struct {
	Field, Msg string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Msg }

// check says what is wrong with a rule for so many servers, 0 for any number.
func (r *Rule) check(servers int) error {
	bad := func(field, format string, args ...any) error {
		return &FieldError{field, fmt.Sprintf(format, args...)}
	}
	needs, ok := r.Do.needs()
	switch {
	case !ok:
		return bad("do", "%q; allowed: %s", r.Do, FaultNames())
	case r.Count < 0:
		return bad("count", "%d; allowed: 1 and more", r.Count)
	case r.By < 0:
		return bad("by", "%d; allowed: the number of a session, from 1", r.By)
	case r.Session != 0 && !needs.session:
		return bad("session", "%s strikes the request that it waits for; allowed: none (see by)", r.Do)
	case r.Session < 0:
		return bad("session", "%d; allowed: the number of a session, from 1", r.Session)
	case r.For < 0, needs.time == must && r.For == 0:
		return bad("for", "%v; allowed: a duration such as 5s", r.For)
	case needs.time == never && r.For != 0:
		return bad("for", "%s takes no time; allowed: none", r.Do)
	case needs.server == must && (r.Server < 1 || r.Server > max(servers, 1) && servers != 0):
		return bad("server", "%d; allowed: the number of a server, 1 to %d", r.Server, max(servers, 1))
	case needs.server == never && r.Server != 0:
		return bad("server", "%s names no server; allowed: none", r.Do)
	case servers == 1 && (r.Do == Crash || r.Do == LeaderCrash):
		return bad("do", "%s takes an ensemble, and there is one server; allowed: more", r.Do)
	case r.Op != "" && !knownOp(r.Op):
		return bad("op", "%q; allowed: %s", r.Op, strings.Join(opNames(), ", "))
	case r.Path != "" && r.Path[0] != '/':
		return bad("path", "%q; allowed: a path that begins with /", r.Path)
	}
	return nil
}

// ruleOps are the types that rules may name.
var ruleOps = [...]zkmodel.OpCode{
	zkmodel.OpConnect, zkmodel.OpCreate, zkmodel.OpDelete, zkmodel.OpExists, zkmodel.OpGetData,
	zkmodel.OpSetData, zkmodel.OpGetACL, zkmodel.OpSetACL, zkmodel.OpGetChildren, zkmodel.OpSync,
	zkmodel.OpPing, zkmodel.OpCheck, zkmodel.OpMulti, zkmodel.OpMultiRead, zkmodel.OpAuth,
	zkmodel.OpSetWatches, zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpAddWatch,
	zkmodel.OpCloseSession,
}

func opNames() []string {
	var names []string
	for _, op := range ruleOps {
		names = append(names, op.String())
	}
	return names
}

func knownOp(name string) bool {
	for _, op := range ruleOps {
		if op.String() == name {
			return true
		}
	}
	return false
}

// family is the type that rules know a request type by.
func family(op zkmodel.OpCode) zkmodel.OpCode {
	switch op {
	case zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		return zkmodel.OpCreate
	case zkmodel.OpGetChildren2:
		return zkmodel.OpGetChildren
	case zkmodel.OpSetWatches2:
		return zkmodel.OpSetWatches
	}
	return op
}

// fits says whether a request from session number by counts for the rule.
func (r *Rule) fits(q *zkmodel.Request, by int) bool {
	op := family(q.Op)
	switch {
	case r.Op == "" && (op == zkmodel.OpPing || op == zkmodel.OpConnect),
		r.Op != "" && r.Op != op.String(),
		r.By != 0 && r.By != by:
		return false
	}
	return r.Path == "" || op != zkmodel.OpConnect && below(q.Path, r.Path)
}

// below says whether path is dir or a path below it.
func below(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}
