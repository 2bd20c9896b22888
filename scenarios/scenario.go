package scenarios

import (
	"fmt"
	"math"
	"slices"
	"time"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/zkmodel"
)

// Mode says how the operations of a workload acquire.
type Mode string

// The modes of a workload.
const (
	ModeBlocking Mode = "blocking"
	ModeTimed    Mode = "timed"
	ModeTry      Mode = "try"
	ModeMixed    Mode = "mixed" // drawn for each operation
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{ModeBlocking, ModeTimed, ModeTry, ModeMixed} }

// Arrivals says when the clients begin.
type Arrivals string

// The arrivals.
const (
	ArriveDrawn    Arrivals = "drawn"    // each at a drawn time
	ArriveTogether Arrivals = "together" // all at once
)

// The limits of a scenario.
const (
	MaxClients = 256
	MaxOps     = 1000

	maxItemBytes = 8 << 20
)

// Scenario is what a run is about. The zero values of Limit and Hold mean
// that they are drawn for each operation.
type Scenario struct {
	// Variant is the recipe, as "lock/curator".
	Variant string
	// Clients is the number of clients, 1 to 256; default 3.
	Clients int
	// Writers and Readers, Producers and Consumers, or Members and Observers, are
	// the numbers of clients of each role in families that have them; they add up
	// to Clients.
	Writers, Readers, Producers, Consumers, Members, Observers int
	// Leases is the number of leases of a semaphore, 1 to 256; default 2.
	Leases int
	// Permits is how many leases one acquire of a semaphore asks for, 1 to the
	// number of leases; default 1.
	Permits int
	// Stock is the number of pieces in a sale, 1 to 256; default 4.
	Stock int
	// Bare leaves the directory of the recipe's object to the recipe to make.
	Bare bool
	// Counter is the number of the directory's next sequential child, 0 to
	// 2147483647, and DocumentedWrap has the server go on with negative ones
	// behind the last, as its documentation says; by default it answers
	// NodeExists for ever, as ZooKeeper 3.8.0 was seen to do.
	Counter        int
	DocumentedWrap bool
	// Foreign puts a znode into the directory that is nobody's ticket.
	Foreign bool
	// Downgrade has the writers of a re-entrant read-write lock acquire it for
	// reading before they release it for writing.
	Downgrade bool
	// SamePut has a put that failed made again with the same item, as a caller
	// might that takes an error for a put that did not happen.
	SamePut bool
	// ItemBytes is the least length of an item that a queue's producer puts, 0 to
	// 8388608. A request's frame over 1,048,575 bytes costs its connection, and
	// so does a reply's at the Java client.
	ItemBytes int
	// Renew has members of a group delete its directory, if it is empty, before
	// they join: whoever joins makes it again.
	Renew bool
	// Usage says what clients of a lock do beside acquiring and releasing it;
	// default plain.
	Usage Usage
	// Ops is the number of operations of each client, 1 to 1000; default 2.
	Ops int
	// Attempts is how often an acquire or a release that failed is made, on
	// the same object, before the client goes on; default 3.
	Attempts int
	// Mode is how they acquire; default mixed. An operation whose mode the
	// recipe does not have blocks.
	Mode Mode
	// Limit is the time limit of timed acquires.
	Limit time.Duration
	// Hold is how long a client holds the lock; FixedHold says that 0 means 0.
	Hold      time.Duration
	FixedHold bool
	// Arrivals says when the clients begin; default drawn.
	Arrivals Arrivals
	// SessionTimeout is what clients ask for; default 6 s. A variant whose
	// original asks for another gets that.
	SessionTimeout time.Duration
	// Tick is the server's tickTime; default 2 s.
	Tick time.Duration
	// Servers is the size of the ensemble, 1, 3 or 5; default 1, a standalone
	// server. Of several, each client has one and goes to the next when its
	// connection is lost. In an untimed run the first client begins at server 1,
	// the next at 2 and so on; messages between servers arrive at any moment, so
	// that lag needs no budget; and a leader that has crashed starts again at any
	// moment. An election, and what brings a server that starts again to the
	// leader's history, is one step in which all servers that run take part.
	Servers int
	// Faults is the budget from which faults are drawn.
	Faults faults.Budget
	// Plan are faults that are not drawn.
	Plan faults.Plan
	// Serial is the standard workload of sweeps and counts: fault-free, each
	// client queued before the next begins, unless they arrive together, each
	// release when nothing is in flight.
	Serial bool
	// Untimed lets any enabled transition be next, faults within the budget
	// among them; every choice is then one of a transition. Limits and holds
	// are timers that fire at any moment.
	Untimed bool
	// SessionsOpen lets an untimed run begin with the sessions of the clients
	// open.
	SessionsOpen bool
	// Moves ends an untimed run after that many transitions, 0 for no bound.
	Moves int
	// Core is the number of clients, the first ones, that heal when the faults
	// are over; a pause, a partition or a crash of another lasts for ever, and
	// only the core must make progress. 0 means all, and is the only value in
	// families other than locks, read-write locks and queues.
	Core int
	// ServerMutant is a fault planted in the server, for those who test what
	// judges it; default none.
	ServerMutant zkmodel.Mutant
}

// Default returns the default scenario of a variant.
func Default(variant string) Scenario {
	s := Scenario{
		Variant: variant, Clients: 3, Ops: 2, Attempts: 3, Mode: ModeMixed, Usage: UsePlain, Arrivals: ArriveDrawn,
		SessionTimeout: 6 * time.Second, Tick: 2 * time.Second, Servers: 1,
	}
	if v, ok := ByName(variant); ok {
		v.family.defaults(&s)
	}
	return s
}

// Small returns a scenario of a variant for exhaustive search: three clients
// that begin together, one blocking acquire each, made once.
func Small(variant string) Scenario {
	s := Default(variant)
	s.Ops, s.Attempts, s.Mode, s.Arrivals = 1, 1, ModeBlocking, ArriveTogether
	s.Hold, s.FixedHold = time.Millisecond, true
	return s
}

// Standard returns the standard workload of sweeps and counts.
func Standard(variant string, clients int) Scenario {
	s := Default(variant)
	s.SetClients(clients)
	s.Ops, s.Mode, s.Serial, s.FixedHold = 1, ModeBlocking, true, true
	return s
}

// FieldError is what is wrong with a field of a scenario.
type FieldError struct {
	Field string // as in a scenario file
	Msg   string // what is wrong and what is allowed
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Msg }

func fieldErr(field, format string, args ...any) error {
	return &FieldError{field, fmt.Sprintf(format, args...)}
}

// Validate reports the first field that is not allowed, as a [*FieldError].
func (s *Scenario) Validate() error {
	v, ok := ByName(s.Variant)
	if !ok {
		return fieldErr("variant", "unknown variant %q; allowed: %s", s.Variant, variantNames())
	}
	return s.validate(&v)
}

// validate is [Scenario.Validate] with the variant at hand.
func (s *Scenario) validate(v *Variant) error {
	if s.Clients < 1 || s.Clients > MaxClients {
		return fieldErr("clients", "%d clients; allowed: 1 to %d", s.Clients, MaxClients)
	}
	if err := v.family.validate(s); err != nil {
		return err
	}
	if err := s.validateUsage(v); err != nil {
		return err
	}
	if s.Ops < 1 || s.Ops > MaxOps {
		return fieldErr("ops", "%d operations; allowed: 1 to %d", s.Ops, MaxOps)
	}
	if s.Attempts < 1 || s.Attempts > 9 {
		return fieldErr("attempts", "%d attempts; allowed: 1 to 9", s.Attempts)
	}
	switch s.Mode {
	case ModeBlocking, ModeTimed, ModeTry, ModeMixed:
	default:
		return fieldErr("mode", "unknown mode %q; allowed: blocking, timed, try, mixed", s.Mode)
	}
	switch s.Arrivals {
	case ArriveDrawn, ArriveTogether:
	default:
		return fieldErr("arrivals", "unknown arrivals %q; allowed: drawn, together", s.Arrivals)
	}
	for _, d := range []struct {
		field       string
		v, min, max time.Duration
	}{
		{"limit", s.Limit, 0, time.Hour},
		{"hold", s.Hold, 0, time.Hour},
		{"sessionTimeout", s.SessionTimeout, time.Millisecond, time.Hour},
		{"tick", s.Tick, time.Millisecond, time.Minute},
	} {
		if d.v < d.min || d.v > d.max {
			return fieldErr(d.field, "%v; allowed: %v to %v", d.v, d.min, d.max)
		}
	}
	switch {
	case s.Core < 0 || s.Core > s.Clients:
		return fieldErr("core", "%d; allowed: 0 to %d", s.Core, s.Clients)
	case s.Core > 0 && !v.family.core:
		return fieldErr("core", "a %s has none; allowed: 0", v.Family())
	case s.Core > 0 && s.Untimed:
		return fieldErr("core", "nothing heals in an untimed run; allowed: 0")
	}
	if int(s.ServerMutant) > len(zkmodel.Mutants()) {
		return fieldErr("serverMutant", "%d; allowed: 0 to %d", s.ServerMutant, len(zkmodel.Mutants()))
	}
	if s.Counter < 0 || s.Counter > math.MaxInt32 {
		return fieldErr("counter", "%d; allowed: 0 to %d", s.Counter, math.MaxInt32)
	}
	if s.Bare && s.Counter > 0 {
		return fieldErr("bare", "a directory that is missing has no counter; allowed: false")
	}
	if s.ItemBytes < 0 || s.ItemBytes > maxItemBytes {
		return fieldErr("itemBytes", "%d; allowed: 0 to %d", s.ItemBytes, maxItemBytes)
	}
	if s.ItemBytes > 0 && v.Family() != "queue" {
		return fieldErr("itemBytes", "a %s has no items; allowed: 0", v.Family())
	}
	if s.Moves < 0 {
		return fieldErr("moves", "%d; allowed: 0 or more", s.Moves)
	}
	for k, n := range s.Faults {
		if n < 0 || n > 99 {
			return fieldErr("faults", "%s: %d; allowed: 0 to 99", faults.Kind(k), n)
		}
	}
	if err := s.validateServers(v); err != nil {
		return err
	}
	for i, f := range s.Plan {
		if f.Client < 0 || f.Client >= s.Clients {
			return fieldErr(fmt.Sprintf("plan[%d]", i), "%s: no such client; allowed: 0 to %d", f, s.Clients-1)
		}
	}
	if s.Serial && (len(s.Plan) > 0 || s.Faults != (faults.Budget{})) {
		return fieldErr("serial", "the standard workload has no faults")
	}
	if s.Serial && s.Untimed {
		return fieldErr("untimed", "the standard workload is timed")
	}
	if s.SessionsOpen && !s.Untimed {
		return fieldErr("sessionsOpen", "true in a timed run; allowed: true in an untimed one")
	}
	if s.Untimed && len(s.Plan) > 0 {
		return fieldErr("untimed", "faults of an untimed run come from the budget, not from a plan")
	}
	return nil
}

// validateServers is the part of [Scenario.Validate] about ensembles.
func (s *Scenario) validateServers(v *Variant) error {
	switch s.Servers {
	case 1, 3, 5:
	default:
		return fieldErr("servers", "%d servers; allowed: 1, 3, 5", s.Servers)
	}
	if n := s.Faults[faults.Lag]; s.Servers > 1 && s.Untimed && n > 0 {
		return fieldErr("faults", "lag: %d; allowed in an untimed run on %d servers: 0, since messages between servers wait there as long as they like", n, s.Servers)
	}
	switch {
	case s.Servers > 1 && v.Store != zk.StoreNone:
		return fieldErr("servers", "%d servers; allowed for a lock on a store, which uses no ZooKeeper: 1", s.Servers)
	case s.Servers > 1:
		return nil
	}
	replicated := v.Store == zk.StoreRedis
	for k, n := range s.Faults {
		if n > 0 && faults.Kind(k).OfEnsemble() && !replicated {
			return fieldErr("faults", "%s: a standalone server; allowed with 3 or 5 servers", faults.Kind(k))
		}
	}
	for i, f := range s.Plan {
		if f.Kind.OfEnsemble() && !replicated {
			return fieldErr(fmt.Sprintf("plan[%d]", i), "%s: a standalone server; allowed with 3 or 5 servers", f)
		}
	}
	return nil
}

// strikesServers reports whether a run may contain faults of one of several
// servers.
func (s *Scenario) strikesServers() bool {
	return s.Faults[faults.LeaderCrash]+s.Faults[faults.Lag] > 0 ||
		slices.ContainsFunc(s.Plan, func(f faults.Fault) bool { return f.Kind.OfEnsemble() })
}

func variantNames() string {
	names := ""
	for i, v := range Variants("") {
		if i > 0 {
			names += ", "
		}
		names += v.Name
	}
	return names
}
