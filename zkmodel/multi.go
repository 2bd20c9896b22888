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
		code := s.multiOp(now, c, k, &r.Multi[i], &results[i])
		if code == OK {
			continue
		}
		s.rollBack()
		if code == MarshallingError {
			s.reply(c, r, out).Err = MarshallingError
			return
		}
		failAt(results, i, code)
		break
	}
	for i := range s.changes {
		s.fire(&s.changes[i], s.sessions[k].id, CauseRequest, out)
	}
	for i := range s.changes {
		if ch := &s.changes[i]; ch.op == OpDelete {
			s.release(ch.node)
		}
	}
	s.changes = s.changes[:0]
	s.reply(c, r, out).Multi = results
}

// decodable says whether ZooKeeper can read the operations of a multi: one of
// another type spoils the whole request.
func decodable(ops []MultiOp) bool {
	for i := range ops {
		switch ops[i].Op {
		case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL, OpDelete, OpSetData, OpCheck:
		default:
			return false
		}
	}
	return true
}

// multiOp carries out one operation, notes the change and fills in the result
// as of now: later operations may change the znode again. MarshallingError
// ends the whole request.
func (s *Server) multiOp(now Time, c ConnID, k int32, op *MultiOp, res *MultiResult) Code {
	res.Op = op.Op
	if op.Op == OpCheck {
		return s.check(c, op.Path, op.Version)
	}
	s.changes = append(s.changes, change{})
	ch := &s.changes[len(s.changes)-1]
	var code Code
	switch op.Op {
	case OpDelete:
		code = s.remove(c, op.Path, op.Version, ch)
	case OpSetData:
		code = s.setData(now, c, op.Path, op.Data, op.Version, ch)
	default:
		code = s.multiCreate(now, c, k, op, res, ch)
	}
	if code != OK {
		s.changes = s.changes[:len(s.changes)-1]
		return code
	}
	if op.Op == OpSetData {
		s.stat(ch.node, &res.Stat)
	}
	return OK
}

// multiCreate carries out a create of a multi. ZooKeeper takes create2 for
// create here, finds out by the flags alone what znode it makes (class Op,
// Create), and answers with a Stat what is no plain create. The flags of a TTL
// znode in a request without a time to live break its decoding.
func (s *Server) multiCreate(now Time, c ConnID, k int32, op *MultiOp, res *MultiResult, ch *change) Code {
	a := createOp{now: now, conn: c, k: k, op: OpCreate, flags: op.Flags, acl: op.ACL}
	switch op.Flags {
	case FlagContainer:
		a.op = OpCreateContainer
	case FlagTTL, FlagTTLSequential:
		if op.Op != OpCreateTTL {
			return MarshallingError
		}
		a.op, a.ttl = OpCreateTTL, op.TTL
	}
	if code := s.create(&a, op.Path, op.Data, ch); code != OK {
		return code
	}
	res.Op, res.Path = OpCreate, s.nodes[ch.node].path
	if a.op != OpCreate {
		res.Op = OpCreate2
		s.stat(ch.node, &res.Stat)
	}
	return OK
}

// multiRead answers a multiRead: each operation succeeds or fails on its own.
// One that writes spoils the whole request. If it stands among reads, decoding
// fails; if there are no reads, the error comes with an empty list of results
// (Multi is not nil).
func (s *Server) multiRead(c ConnID, r *Request, out *Output) {
	resp := s.reply(c, r, out)
	reads := 0
	for i := range r.Multi {
		if op := r.Multi[i].Op; op == OpGetData || op == OpGetChildren {
			reads++
		}
	}
	if reads < len(r.Multi) {
		resp.Err = MarshallingError
		if reads == 0 && decodable(r.Multi) {
			resp.Multi = []MultiResult{}
		}
		return
	}
	var results []MultiResult
	if reads > 0 {
		results = make([]MultiResult, reads)
	}
	for i := range r.Multi {
		op, res := &r.Multi[i], &results[i]
		n := s.lookup(op.Path)
		switch {
		case n == none:
			*res = MultiResult{Op: OpError, Err: NoNode}
		case !s.permits(n, PermRead, c):
			*res = MultiResult{Op: OpError, Err: NoAuth}
		case op.Op == OpGetData:
			res.Op, res.Data = OpGetData, s.nodes[n].data
			s.stat(n, &res.Stat)
		default:
			res.Op, res.Children = OpGetChildren, s.list(n)
		}
	}
	resp.Multi = results
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
