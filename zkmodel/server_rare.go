package zkmodel

import "strings"

// handleRare answers the requests that few clients send.
func (s *Server) handleRare(now Time, c ConnID, k int32, r *Request, out *Output) {
	switch r.Op {
	case OpGetACL:
		s.readACL(c, r, out)
	case OpSetACL:
		s.zxid++
		n, code := s.setACL(c, r.Path, r.ACL, r.Version)
		if code == OK {
			z := &s.nodes[n]
			out.Txns = append(out.Txns, Txn{
				Zxid: s.zxid, Op: OpSetACL, Path: z.path, Session: s.sessions[k].id,
				Owner: max(z.owner, 0), Czxid: z.czxid,
			})
		}
		resp := s.reply(c, r, out)
		if resp.Err = code; code == OK {
			s.stat(n, &resp.Stat)
		}
	case OpMultiRead:
		s.multiRead(c, r, out)
	case OpAddWatch:
		s.addWatch(c, r, out)
	case OpCheckWatches:
		s.reply(c, r, out).Err = s.checkWatches(c, r.Path, r.Flags)
	case OpRemoveWatches:
		s.reply(c, r, out).Err = s.removeWatches(c, r.Path, r.Flags)
	case OpGetEphemerals:
		s.reply(c, r, out).Children = s.ephemerals(k, r.Path)
	case OpGetAllChildrenNumber:
		s.countBelow(c, r, out)
	case OpWhoAmI:
		s.reply(c, r, out).ACL = s.whoAmI(c)
	case OpDeleteContainer:
		// ZooKeeper looks for the path in the header of the request.
		s.zxid++
		s.reply(c, r, out).Err = BadArguments
	case OpReconfig:
		s.zxid++
		s.reply(c, r, out).Err = ReconfigDisabled
	case OpCreateSession:
		s.zxid++
		if k != none {
			s.welcome(c, &s.sessions[k], out)
		}
	default:
		s.unknown(c, r, out)
	}
}

// unknown refuses a request of a type that the server does not know. Its reply
// has no zxid of the server's (class UnimplementedRequestProcessor).
func (s *Server) unknown(c ConnID, r *Request, out *Output) {
	resp := s.reply(c, r, out)
	resp.Err, resp.Zxid = Unimplemented, -1
	s.hangUp(c, out)
}

// handshake answers what comes before requests, and goes past their queue: auth
// and SASL, for which this server has no provider: it answers a token with
// none, and breaks down at none.
func (s *Server) handshake(c ConnID, r *Request, out *Output) {
	switch {
	case r.Malformed, r.Op == OpSasl && r.Data == nil:
		s.hangUp(c, out)
	case r.Op == OpAuth:
		s.auth(c, r, out)
	default:
		s.reply(c, r, out).Zxid = 0
	}
}

// malformed answers a request whose body could not be read. Where a
// transaction would have been made of it, it uses up a zxid.
func (s *Server) malformed(c ConnID, r *Request, out *Output) {
	switch r.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL, OpDelete, OpSetData, OpSetACL,
		OpCheck, OpMulti, OpCreateSession:
		s.zxid++
	case OpDeleteContainer:
		s.zxid++
		s.reply(c, r, out).Err = BadArguments
		return
	case OpSync, OpExists, OpGetData, OpGetACL, OpGetChildren, OpGetChildren2, OpReconfig,
		OpCheckWatches, OpRemoveWatches, OpMultiRead, OpSetWatches, OpSetWatches2, OpAddWatch,
		OpGetEphemerals, OpGetAllChildrenNumber, OpPing, OpWhoAmI, OpCloseSession:
	default:
		s.unknown(c, r, out)
		return
	}
	s.reply(c, r, out).Err = MarshallingError
}

// readACL answers a getACL.
func (s *Server) readACL(c ConnID, r *Request, out *Output) {
	resp := s.reply(c, r, out)
	n := s.lookup(r.Path)
	if n == none {
		resp.Err = NoNode
		return
	}
	if resp.ACL, resp.Err = s.getACL(c, n); resp.Err == OK {
		s.stat(n, &resp.Stat)
	}
}

// countBelow answers a getAllChildrenNumber. The empty path, an alias of "/",
// counts "/" itself (class DataTree, getAllChildrenNumber).
func (s *Server) countBelow(c ConnID, r *Request, out *Output) {
	resp := s.reply(c, r, out)
	n := s.lookup(r.Path)
	switch {
	case n == none:
		resp.Err = NoNode
	case !s.permits(n, PermRead, c):
		resp.Err = NoAuth
	case r.Path == "":
		resp.Count = s.count
	default:
		resp.Count = int32(s.subtree(n) - 1)
	}
}

// ephemerals is the paths of the znodes of session k that begin with prefix;
// of all of them for a blank prefix and for "/".
func (s *Server) ephemerals(k int32, prefix string) []string {
	if t := strings.Trim(prefix, " \t\n\v\f\r"); t == "" || t == "/" {
		prefix = ""
	}
	var paths []string
	if k == none {
		return nil
	}
	for n := s.sessions[k].ephFirst; n != none; n = s.nodes[n].ephNext {
		if path := s.nodes[n].path; strings.HasPrefix(path, prefix) {
			paths = append(paths, path)
		}
	}
	return paths
}
