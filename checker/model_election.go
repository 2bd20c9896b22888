package checker

// electionState is the leader of a term.
type electionState struct {
	leader int64
	known  bool
}

// electionModel is a leader election in terms: each has at most one leader,
// who stays its leader (Raft's election safety; Ongaro and Ousterhout, In
// Search of an Understandable Consensus Algorithm, section 5.2). Terms are
// judged apart.
func electionModel() Model {
	return Model{
		name: "election", what: "an election",
		kinds: kindsOf(OpLead, OpRead),
		part:  func(op *Operation) int64 { return op.In2 },
		engine: &spec[electionState]{
			start: func() electionState { return electionState{} },
			step:  (*electionState).step,
			equal: func(a, b *electionState) bool { return *a == *b },
			hash:  func(s *electionState) uint64 { return mix(uint64(s.leader)) + bit(s.known) },
		},
		useless: uselessCandidates,
		explain: explainElection,
	}
}

func (s *electionState) step(op *Operation) effect {
	if op.Kind == OpRead {
		leader := None
		if s.known {
			leader = s.leader
		}
		if op.certain() && op.Out != leader {
			return refused
		}
		return unchanged
	}
	switch {
	case !s.known:
		*s = electionState{leader: op.In, known: true}
		return changed
	case s.leader == op.In:
		return unchanged
	}
	return refused
}
