package checker

// SharedConfig says what a read-write lock or a semaphore promises and so what
// [Shared] judges.
type SharedConfig struct {
	Clients int
	// Permits is the number of permits of a semaphore; 0 is a read-write lock.
	Permits int
	// StopsAtDisconnect and Core are as in [LockConfig].
	StopsAtDisconnect bool
	Core              int
	// Tickets is as in [LockConfig].
	Tickets int
	_       struct{}
}

// SharedProperties lists what [Shared] judges, in the order of its results: of
// a semaphore or of a read-write lock.
func SharedProperties(semaphore bool) []Property {
	first := RWExclusion
	if semaphore {
		first = Capacity
	}
	return append([]Property{first}, RunProperties()...)
}

// Shared is the monitors of what several clients may hold at once: a read-write
// lock, whose grants say in Text what for ([SharedGrant]), or a semaphore,
// whose grants say in N how many permits. A client is taken to run one
// operation at a time. The zero value is ready after Reset.
type Shared struct {
	semaphore bool
	ops       Lock
	rw        RWMonitor
	capacity  CapacityMonitor
}

// Reset forgets everything and judges by cfg from now on.
func (s *Shared) Reset(cfg SharedConfig) {
	s.semaphore = cfg.Permits > 0
	c := LockConfig{Clients: cfg.Clients, Shared: true, StopsAtDisconnect: cfg.StopsAtDisconnect, Reentrant: true, Tickets: cfg.Tickets, Core: cfg.Core}
	if s.semaphore {
		c.Object, c.Operation = "the semaphore", "acquire"
		s.capacity.Reset(cfg.Permits, cfg.StopsAtDisconnect)
	} else {
		s.rw.Reset(cfg.StopsAtDisconnect)
	}
	s.ops.Reset(c)
}

// Observe judges the next event.
func (s *Shared) Observe(e *Event) {
	s.ops.Observe(e)
	if s.semaphore {
		s.capacity.Observe(e)
	} else {
		s.rw.Observe(e)
	}
}

// Believes reports whether the client believes that it holds something.
func (s *Shared) Believes(client int) bool { return s.ops.Believes(client) }

// Failed is true as soon as some property has failed.
func (s *Shared) Failed() bool { return s.FailedBits() != 0 }

// first is the result on the property that is not one of RunProperties.
func (s *Shared) first() Result {
	if s.semaphore {
		return s.capacity.Finish()
	}
	return s.rw.Finish()
}

// FailedBits has bit i set when property i of [SharedProperties] has failed.
func (s *Shared) FailedBits() uint32 {
	failed := s.rw.Failed()
	if s.semaphore {
		failed = s.capacity.Failed()
	}
	return bit32(failed) | s.ops.RunBits()<<1
}

// Finish gives one result a property, in the order of [SharedProperties].
func (s *Shared) Finish(history []Event) []Result {
	return s.ops.AppendRunResults([]Result{s.first()}, history)
}

// CopyInto makes dst an independent copy.
func (s *Shared) CopyInto(dst *Shared) {
	dst.semaphore = s.semaphore
	s.ops.CopyInto(&dst.ops)
	rw, capacity := dst.rw.beliefs, dst.capacity.beliefs
	dst.rw, dst.capacity = s.rw, s.capacity
	dst.rw.beliefs = append(rw[:0], s.rw.beliefs...)
	dst.capacity.beliefs = append(capacity[:0], s.capacity.beliefs...)
}

// HashClient and HashRest, or HashRanked, write all that later verdicts depend
// on, as those of [Lock] do.
func (s *Shared) HashClient(h Hasher, client int) { s.ops.HashClient(h, client) }

// HashRest is described at HashClient. Beliefs are told with their clients.
func (s *Shared) HashRest(h Hasher) {
	s.ops.HashRest(h)
	s.hashBeliefs(h)
}

// HashRanked is described at HashClient.
func (s *Shared) HashRanked(h Hasher, rank func(zxid int64) uint64) {
	s.ops.HashRanked(h, rank)
	s.hashBeliefs(h)
}

func (s *Shared) hashBeliefs(h Hasher) {
	list := s.rw.beliefs
	if s.semaphore {
		list = s.capacity.beliefs
	}
	for _, b := range list {
		h.Uint64(uint64(uint32(b.client))<<32 | bit(b.shared)<<16 | uint64(b.permits))
		h.Uint64(uint64(uint32(b.op)))
	}
}
