package wire

import "zoosim/zkmodel"

// openACL is what a request with no ACL stands for.
var openACL = [...]zkmodel.ACL{{Perms: 31, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}}

// appendACL writes the ACL of a request.
func appendACL(dst []byte, v []zkmodel.ACL) []byte {
	if v == nil {
		return appendACLs(dst, openACL[:])
	}
	return appendACLs(dst, v)
}

func appendACLs(dst []byte, v []zkmodel.ACL) []byte {
	dst = appendInt(dst, int32(len(v)))
	for i := range v {
		dst = appendInt(dst, v[i].Perms)
		dst = appendID(dst, v[i].ID)
	}
	return dst
}

func appendID(dst []byte, id zkmodel.ID) []byte {
	return appendString(appendString(dst, id.Scheme), id.ID)
}

// acls is never nil: to a server, null is as invalid as empty.
func (r *reader) acls() []zkmodel.ACL {
	n := r.count(minACL)
	v := make([]zkmodel.ACL, 0, n)
	for range n {
		v = append(v, zkmodel.ACL{Perms: r.int(), ID: r.id()})
	}
	return v
}

func (r *reader) id() zkmodel.ID { return zkmodel.ID{Scheme: r.string(), ID: r.string()} }

func appendStat(dst []byte, s *zkmodel.Stat) []byte {
	for _, v := range [...]int64{s.Czxid, s.Mzxid, s.Ctime, s.Mtime} {
		dst = appendLong(dst, v)
	}
	for _, v := range [...]int32{s.Version, s.Cversion, s.Aversion} {
		dst = appendInt(dst, v)
	}
	dst = appendLong(dst, s.EphemeralOwner)
	dst = appendInt(dst, s.DataLength)
	dst = appendInt(dst, s.NumChildren)
	return appendLong(dst, s.Pzxid)
}

func (r *reader) stat(s *zkmodel.Stat) {
	s.Czxid, s.Mzxid, s.Ctime, s.Mtime = r.long(), r.long(), r.long(), r.long()
	s.Version, s.Cversion, s.Aversion = r.int(), r.int(), r.int()
	s.EphemeralOwner = r.long()
	s.DataLength, s.NumChildren = r.int(), r.int()
	s.Pzxid = r.long()
}
