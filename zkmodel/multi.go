package zkmodel

// multi carries out a multi: all its operations under one zxid, each against
// the state that the ones before it left, or none of them. Watches fire only
// once all have succeeded, operation by operation.
func (s *Server) multi(now Time, c ConnID, k int32, r *Request, out *Output) {
	s.zxid++
	if !decodable(r.Multi) {
		s.reply(c, r, out).Err = MarshallingError
		return
	}
	var results []MultiResult
	if len(r.Multi) > 0 {
		results = make([]MultiResult, len(r.Multi))
	}
	s.changes = s.changes[:0]
	for i := range r.Multi {
		if code := s.multiOp(now, k, &r.Multi[i], &results[i]); code != OK {
			s.rollBack()
			failAt(results, i, code)
			break
		}
	}
	for i := range s.changes {
		s.fire(&s.changes[i], s.sessions[k].id, CauseRequest, out)
	}
	for i := range s.changes {
		if ch := &s.changes[i]; ch.op == OpDelete {
			s.release(ch.node)
		}
	}
	s.reply(c, r, out).Multi = results
}

// decodable says whether ZooKeeper can read the operations. One of another
// type, and a create with the flags of a TTL znode, spoil the whole request.
func decodable(ops []MultiOp) bool {
	for i := range ops {
		switch op := &ops[i]; op.Op {
		case OpCreate, OpCreate2:
			if op.Flags == flagTTL || op.Flags == flagTTLSequential {
				return false
			}
		case OpDelete, OpSetData, OpCheck:
		default:
			return false
		}
	}
	return true
}

// multiOp carries out one operation, notes the change and fills in the result
// as of now: later operations may change the znode again.
func (s *Server) multiOp(now Time, k int32, op *MultiOp, res *MultiResult) Code {
	res.Op = op.Op
	if op.Op == OpCheck {
		return s.check(op.Path, op.Version)
	}
	s.changes = append(s.changes, change{})
	ch := &s.changes[len(s.changes)-1]
	var code Code
	switch op.Op {
	case OpDelete:
		code = s.remove(op.Path, op.Version, ch)
	case OpSetData:
		code = s.setData(now, op.Path, op.Data, op.Version, ch)
	default:
		code = s.create(now, k, op.Path, op.Data, op.Flags, ch)
	}
	if code != OK {
		s.changes = s.changes[:len(s.changes)-1]
		return code
	}
	z := &s.nodes[ch.node]
	switch op.Op {
	case OpSetData:
		z.stat(&res.Stat)
	case OpCreate, OpCreate2:
		// ZooKeeper takes create2 for create here, and answers with a Stat
		// only what it takes for a createContainer.
		res.Op, res.Path = OpCreate, z.path
		if op.Flags == flagContainer {
			res.Op = OpCreate2
			z.stat(&res.Stat)
		}
	}
	return OK
}

// rollBack undoes the changes noted so far, the newest first.
func (s *Server) rollBack() {
	for i := len(s.changes) - 1; i >= 0; i-- {
		s.undo(&s.changes[i])
	}
	s.changes = s.changes[:0]
}

// failAt makes results those of a multi whose operation at failed.
func failAt(results []MultiResult, at int, code Code) {
	for i := range results {
		results[i] = MultiResult{Op: OpError}
		switch {
		case i == at:
			results[i].Err = code
		case i > at:
			results[i].Err = RuntimeInconsistency
		}
	}
}
