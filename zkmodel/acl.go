package zkmodel

import "slices"

// The permissions of an ACL (class ZooDefs.Perms); their sum is 31.
const (
	PermRead   int32 = 1
	PermWrite  int32 = 2
	PermCreate int32 = 4
	PermDelete int32 = 8
	PermAdmin  int32 = 16

	permAll = PermRead | PermWrite | PermCreate | PermDelete | PermAdmin
)

// anyone is the id that everybody has.
var anyone = ID{"world", "anyone"}

// aclTable holds the ACLs of the znodes that have another one than everything
// to everybody. Such a znode owns its entry.
type aclTable struct {
	entries []aclEntry
	free    int32 // first free entry, as in a znode; 0: none
}

// aclEntry is an ACL with its version. The list is never changed.
type aclEntry struct {
	list    []ACL
	sum     uint64 // hash of the list
	version int32
	next    int32 // free entries
}

// configACL stands for the ACL of "/zookeeper/config": everybody may read,
// nobody may change it, and its version is -1 (class DataTree, addConfigNode).
const configACL int32 = -1

func (t *aclTable) reset() { t.entries, t.free = t.entries[:0], 0 }

func (t *aclTable) copyInto(dst *aclTable) {
	dst.entries, dst.free = append(dst.entries[:0], t.entries...), t.free
}

// put stores a list and returns what a znode keeps of it.
func (t *aclTable) put(list []ACL, version int32) int32 {
	e := aclEntry{list: list, sum: hashACL(list), version: version}
	if i := t.free; i != 0 {
		t.free = t.entries[i-1].next
		t.entries[i-1] = e
		return i
	}
	t.entries = append(t.entries, e)
	return int32(len(t.entries))
}

func (t *aclTable) release(i int32) {
	if i > 0 {
		t.entries[i-1] = aclEntry{next: t.free}
		t.free = i
	}
}

func (t *aclTable) aversion(i int32) int32 {
	switch {
	case i == configACL:
		return -1
	case i == 0:
		return 0
	}
	return t.entries[i-1].version
}

func (t *aclTable) list(i int32) []ACL {
	switch {
	case i == configACL:
		return []ACL{{PermRead, anyone}}
	case i == 0:
		return []ACL{{permAll, anyone}}
	}
	return t.entries[i-1].list
}

// hash is the hash of an ACL and its version, for an entry of the table.
func (t *aclTable) hash(i int32) uint64 {
	e := &t.entries[i-1]
	return fold(e.sum, uint64(uint32(e.version)))
}

func hashACL(list []ACL) uint64 {
	h := uint64(len(list))
	for i := range list {
		h = fold(fold(h, uint64(uint32(list[i].Perms))), hashID(list[i].ID))
	}
	return h
}

func hashID(id ID) uint64 { return fold(hashPath(id.Scheme), hashPath(id.ID)) }

// openACL says whether a list is everything to everybody.
func openACL(list []ACL) bool {
	return list == nil || len(list) == 1 && list[0] == ACL{permAll, anyone}
}

// fixACL makes the ACL that a znode gets out of the one that a client on
// connection c sent (class PrepRequestProcessor, fixupACL): doubles go, and
// "auth" stands for all that the client has authenticated as.
func (s *Server) fixACL(c ConnID, list []ACL) ([]ACL, Code) {
	if openACL(list) {
		return nil, OK
	}
	if len(list) == 0 {
		return nil, InvalidACL
	}
	fixed := make([]ACL, 0, len(list))
	for i, a := range list {
		switch {
		case slices.Contains(list[:i], a):
		case a.ID == anyone:
			fixed = append(fixed, a)
		case a.ID.Scheme == "auth":
			n := len(fixed)
			for _, id := range s.authenticated(c) {
				if id.Scheme == "digest" {
					fixed = append(fixed, ACL{a.Perms, id})
				}
			}
			if len(fixed) == n {
				return nil, InvalidACL
			}
		case a.ID.Scheme == "digest" && validDigest(a.ID.ID), a.ID.Scheme == "ip" && validNet(a.ID.ID):
			fixed = append(fixed, a)
		default:
			return nil, InvalidACL
		}
	}
	return fixed, OK
}

// permits says whether the client on connection c has one of the permissions
// in perms on znode n.
func (s *Server) permits(n int32, perms int32, c ConnID) bool {
	i := s.nodes[n].acl
	return i == 0 || s.permitsBy(i, perms, c)
}

// permitsBy is permits for an ACL that is not open to everybody (class
// ZooKeeperServer, checkACL).
func (s *Server) permitsBy(i, perms int32, c ConnID) bool {
	for _, a := range s.acls.list(i) {
		if a.Perms&perms == 0 {
			continue
		}
		switch {
		case a.ID == anyone:
			return true
		case a.ID.Scheme == "ip" && inNet(s.host(c), a.ID.ID):
			return true
		case slices.Contains(s.authenticated(c), a.ID):
			return true
		}
	}
	return false
}

// setACL replaces the ACL of the znode at path; version is compared with that
// of the ACL. A Stat of the znode shows the new version and nothing else.
func (s *Server) setACL(c ConnID, path string, list []ACL, version int32) (int32, Code) {
	if !validPath(path) {
		return none, BadArguments
	}
	list, code := s.fixACL(c, list)
	if code != OK {
		return none, code
	}
	n := s.lookup(path)
	if n == none {
		return none, NoNode
	}
	z := &s.nodes[n]
	was := s.acls.aversion(z.acl)
	switch {
	case !s.permits(n, PermAdmin, c):
		return none, NoAuth
	case version != -1 && version != was:
		return none, BadVersion
	}
	if list == nil {
		list = []ACL{{permAll, anyone}}
	}
	s.acls.release(z.acl)
	z.acl = s.acls.put(list, was+1)
	return n, OK
}

// getACL is the ACL of znode n as the client on connection c may see it: the
// digests are for those alone who could change them.
func (s *Server) getACL(c ConnID, n int32) ([]ACL, Code) {
	list := s.acls.list(s.nodes[n].acl)
	if !s.permits(n, PermRead|PermAdmin, c) {
		return nil, NoAuth
	}
	if s.permits(n, PermAdmin, c) {
		return list, OK
	}
	list = slices.Clone(list)
	for i := range list {
		if id := &list[i].ID; id.Scheme == "digest" {
			id.ID = hideDigest(id.ID)
		}
	}
	return list, OK
}
