package scenarios

import (
	"context"
	"slices"

	"zoosim/checker"
	"zoosim/zkmodel"
)

// family is a kind of recipe: what its clients do, and how that is judged.
type family struct {
	name string
	// dir is the directory of the recipe's object; it exists before a run.
	dir string
	// what is one operation of a client in words.
	what string
	// roles are what clients can be, in the order of their numbers; nil if
	// they are all alike.
	roles []role
	// leases is the least number of leases, 0 in families that have none.
	leases int
	// stock is true for families that sell.
	stock bool
	// properties are judged, in the order of results and bits.
	properties []checker.Property
	// baseline is the variant to which others are compared.
	baseline string
	// sizes sets what a default scenario of the family has otherwise than one
	// of locks; nil changes nothing.
	sizes     func(s *Scenario)
	variants  func() []Variant
	ablations func() []Variant
	// judge makes the monitors of a run.
	judge func() judge
	// applied turns a change of a znode below dir into an event of the family,
	// before that of a ticket; nil where there are none.
	// It reports whether an ephemeral one is a ticket.
	applied func(r *Runner, t *zkmodel.Txn) (ticket bool)
	// asks reports whether what a client shows may rest on its requests of a
	// type; nil in families in which nothing is shown.
	asks func(r *Runner, client int, op zkmodel.OpCode) bool
	// tell says what a client does, "" for what is not told.
	tell func(e *checker.Event) string
	// byHistory lists the properties that are decided from a whole history, so
	// that a search of states cannot judge them.
	byHistory []checker.Property
	// keep are the reductions of a search of states that hold for the family.
	keep Reductions
	// serial says, for the standard workload, in which order the roles begin.
	serial []role
	// core is true if a scenario may have clients that never heal.
	core bool
}

// families lists all families.
func families() []*family {
	return []*family{lockFamily(), rwlockFamily(), semaphoreFamily(), queueFamily(), groupFamily(), electionFamily(), cacheFamily(), saleFamily()}
}

// judge is the monitors of one family. FailedBits has bit i set when the i-th
// property of the family has failed. HashClient and HashRest together, or
// HashRanked, write all that later verdicts depend on.
type judge interface {
	reset(r *Runner)
	copyInto(dst judge)

	Observe(e *checker.Event)
	Finish(history []checker.Event) []checker.Result
	Failed() bool
	FailedBits() uint32
	Believes(client int) bool
	HashClient(h checker.Hasher, client int)
	HashRest(h checker.Hasher)
	HashRanked(h checker.Hasher, rank func(zxid int64) uint64)
}

// monitors are the judge of a runner.
type monitors struct {
	judge
	family *family
}

func newMonitors(f *family) monitors { return monitors{f.judge(), f} }

// CopyInto makes dst an independent copy.
func (m *monitors) CopyInto(dst *monitors) {
	if dst.judge == nil {
		*dst = newMonitors(m.family)
	}
	m.copyInto(dst.judge)
}

// actor is one process's end of a recipe: the objects that it makes on a
// handle, and how it carries operations out.
type actor interface {
	// perform carries out one operation.
	perform(ctx context.Context, w *worker, a *acquisition)
}

// role is what a client is in families whose clients are not all alike.
type role uint8

const (
	roleAny role = iota
	roleWriter
	roleReader
	roleProducer
	roleConsumer
	roleMember
	roleObserver
)

// purpose is what a client of a role acquires for.
func (r role) purpose() string {
	switch r {
	case roleWriter:
		return writeGrant
	case roleReader:
		return checker.SharedGrant
	case roleObserver:
		return lookAt
	}
	return ""
}

// named reports whether what clients of the role do tells who they are.
func (r role) named() bool { return r == roleProducer || r == roleMember || r == roleWriter }

// count is the field of a scenario that says how many clients have a role.
func (s *Scenario) count(r role) *int {
	switch r {
	case roleWriter:
		return &s.Writers
	case roleReader:
		return &s.Readers
	case roleProducer:
		return &s.Producers
	case roleConsumer:
		return &s.Consumers
	case roleMember:
		return &s.Members
	case roleObserver:
		return &s.Observers
	}
	return &s.Clients
}

// defaults sets the numbers of a default scenario.
func (f *family) defaults(s *Scenario) {
	if f.sizes != nil {
		f.sizes(s)
	}
	f.addUp(s)
}

// roleOf is the role of a client.
func (s *Scenario) roleOf(client int) role {
	for _, r := range allRoles() {
		if n := *s.count(r); client >= n {
			client -= n
			continue
		}
		return r
	}
	return roleAny
}

// SetClients sets the number of clients; in a family with roles each has its
// share, the later ones what is left over.
func (s *Scenario) SetClients(n int) {
	s.Clients = n
	v, ok := ByName(s.Variant)
	if !ok {
		return
	}
	v.family.share(s)
}

// share gives each role its share of the clients.
func (f *family) share(s *Scenario) {
	left := s.Clients
	for i, r := range f.roles {
		part := left / (len(f.roles) - i)
		*s.count(r) = part
		left -= part
	}
}

// dropClient leaves a client out of the numbers.
func (s *Scenario) dropClient(i int) {
	s.Clients--
	if r := s.roleOf(i); r != roleAny {
		*s.count(r)--
	}
}

// withinRoles is an order of the clients as far as each keeps its role: the
// places of a role are taken by its clients as they stand in the order.
func (s *Scenario) withinRoles(order []int) []int {
	out := make([]int, 0, len(order))
	for _, r := range append(allRoles(), roleAny) {
		for _, i := range order {
			if s.roleOf(i) == r {
				out = append(out, i)
			}
		}
	}
	return out
}

// addUp makes the number of clients that of the roles.
func (f *family) addUp(s *Scenario) {
	if len(f.roles) == 0 {
		return
	}
	s.Clients = 0
	for _, r := range f.roles {
		s.Clients += *s.count(r)
	}
}

// Role is what a client can be in a family whose clients are not all alike.
type Role struct {
	Name    string // as a field and a flag, "writers"
	Meaning string
}

// Roles lists the roles.
func Roles() []Role {
	var list []Role
	for _, r := range allRoles() {
		list = append(list, Role{r.field(), "number of " + r.field() + ", in families that have them"})
	}
	return list
}

// SetRole sets the number of clients of a role of [Roles], and so that of all.
func (s *Scenario) SetRole(name string, n int) {
	for _, r := range allRoles() {
		if r.field() == name {
			*s.count(r) = n
		}
	}
	if v, ok := ByName(s.Variant); ok {
		v.family.addUp(s)
	}
}

// allRoles lists the roles that have a field in a scenario.
func allRoles() []role {
	return []role{roleWriter, roleReader, roleProducer, roleConsumer, roleMember, roleObserver}
}

// field is the name of the field that counts a role.
func (r role) field() string {
	switch r {
	case roleWriter:
		return "writers"
	case roleReader:
		return "readers"
	case roleProducer:
		return "producers"
	case roleConsumer:
		return "consumers"
	case roleMember:
		return "members"
	case roleObserver:
		return "observers"
	}
	return "clients"
}

// validate checks the numbers of clients by role.
func (f *family) validate(s *Scenario) error {
	sum := 0
	for _, r := range allRoles() {
		n := *s.count(r)
		switch {
		case n < 0 || n > MaxClients:
			return fieldErr(r.field(), "%d; allowed: 0 to %d", n, MaxClients)
		case n > 0 && !slices.Contains(f.roles, r):
			return fieldErr(r.field(), "a %s has none; allowed: 0", f.name)
		}
		sum += n
	}
	if s.Leases < f.leases || s.Leases > f.leases*MaxClients {
		return fieldErr("leases", "%d; allowed: %d to %d", s.Leases, f.leases, f.leases*MaxClients)
	}
	least := 0
	if f.stock {
		least = 1
	}
	if s.Stock < least || s.Stock > least*MaxClients {
		return fieldErr("stock", "%d; allowed: %d to %d", s.Stock, least, least*MaxClients)
	}
	if s.Permits < f.leases || s.Permits > s.Leases {
		return fieldErr("permits", "%d; allowed: %d to %d", s.Permits, f.leases, s.Leases)
	}
	if len(f.roles) > 0 && sum != s.Clients {
		return fieldErr("clients", "%d, but the roles add up to %d; allowed: their sum", s.Clients, sum)
	}
	return nil
}

// serialOrder lists the clients in the order in which the standard workload
// lets them begin.
func (f *family) serialOrder(s *Scenario) []int {
	var order []int
	if len(f.serial) == 0 {
		for i := range s.Clients {
			order = append(order, i)
		}
		return order
	}
	for _, r := range f.serial {
		for i := range s.Clients {
			if s.roleOf(i) == r {
				order = append(order, i)
			}
		}
	}
	return order
}
