package zkmodel

import (
	"crypto/sha1"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// localHost is the address of a client that tells none.
const localHost = "127.0.0.1"

// connIdentity is what a server knows of the client on a connection, if it is
// more than that it is on this host. It goes with the connection.
type connIdentity struct {
	conn ConnID
	host string // its address
	ids  []ID   // as which it has authenticated, in order, none twice; never changed
}

// hash is the hash of all of it.
func (a *connIdentity) hash() uint64 { return fold(a.idsHash(), uint64(a.conn)) }

// idsHash is the hash without the number of the connection.
func (a *connIdentity) idsHash() uint64 {
	h := fold(aboutIdentity, hashPath(a.host))
	for _, id := range a.ids {
		h = fold(h, hashID(id))
	}
	return h
}

// identity is what is known of the client on a connection; nil if it is
// nothing special.
func (s *Server) identity(c ConnID) *connIdentity {
	for i := range s.identities {
		if s.identities[i].conn == c {
			return &s.identities[i]
		}
	}
	return nil
}

// identify makes an entry for a connection that has none.
func (s *Server) identify(c ConnID) *connIdentity {
	if a := s.identity(c); a != nil {
		return a
	}
	s.identities = append(s.identities, connIdentity{conn: c, host: localHost})
	return &s.identities[len(s.identities)-1]
}

// forgetIdentity ends what is known of a connection.
func (s *Server) forgetIdentity(c ConnID) {
	s.identities = slices.DeleteFunc(s.identities, func(a connIdentity) bool { return a.conn == c })
}

// host is the address of the client on a connection.
func (s *Server) host(c ConnID) string {
	if a := s.identity(c); a != nil {
		return a.host
	}
	return localHost
}

// authenticated is what the client on a connection has authenticated as; its
// address is left out.
func (s *Server) authenticated(c ConnID) []ID {
	if a := s.identity(c); a != nil {
		return a.ids
	}
	return nil
}

// auth answers an auth request. Its reply has zxid 0; after a failure the
// connection is closed.
func (s *Server) auth(c ConnID, r *Request, out *Output) {
	ok := false
	if a := r.Auth; a != nil {
		switch a.Scheme {
		case "ip":
			ok = true // the address is known already
		case "digest":
			ok = a.Auth != nil
			if ok {
				s.addIdentity(c, ID{"digest", Digest(string(a.Auth))})
			}
		}
	}
	resp := s.reply(c, r, out)
	resp.Zxid = 0
	if !ok {
		resp.Err = AuthFailed
		s.hangUp(c, out)
	}
}

func (s *Server) addIdentity(c ConnID, id ID) {
	a := s.identify(c)
	if !slices.Contains(a.ids, id) {
		a.ids = append(slices.Clip(a.ids), id)
	}
}

// whoAmI is how the client on a connection is known: its address, and the
// users as which it has authenticated.
func (s *Server) whoAmI(c ConnID) []ACL {
	list := []ACL{{ID: ID{"ip", s.host(c)}}}
	for _, id := range s.authenticated(c) {
		user, _, _ := strings.Cut(id.ID, ":")
		list = append(list, ACL{ID: ID{id.Scheme, user}})
	}
	return list
}

// Digest is the id of the digest scheme for "user:password", as an ACL has it
// (class DigestAuthenticationProvider): the user, a colon, and the SHA-1 of
// the whole in base64.
func Digest(userPassword string) string {
	user, _, _ := strings.Cut(userPassword, ":")
	sum := sha1.Sum([]byte(userPassword))
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}

// validDigest says whether an id has two parts. Java's String.split leaves
// empty parts at the end out.
func validDigest(id string) bool {
	return strings.Count(strings.TrimRight(id, ":"), ":") == 1
}

// hideDigest is an id of which only the user is shown.
func hideDigest(id string) string {
	user, _, found := strings.Cut(id, ":")
	if !found {
		return id
	}
	return user + ":x"
}

// validNet says whether an id of the ip scheme is an address or a network,
// "10.0.0.0/8". IPv6 is not known there.
func validNet(id string) bool {
	_, _, ok := parseNet(id)
	return ok
}

// inNet says whether the address host lies in a network.
func inNet(host, network string) bool {
	want, bits, ok := parseNet(network)
	if !ok {
		return false
	}
	have, ok := parseIPv4(host)
	return ok && (have^want)>>(32-bits) == 0
}

func parseNet(id string) (addr uint64, bits int, ok bool) {
	text, size, sized := strings.Cut(id, "/")
	if addr, ok = parseIPv4(text); !ok {
		return 0, 0, false
	}
	bits = 32
	if sized {
		var err error
		if bits, err = strconv.Atoi(size); err != nil || bits < 0 || bits > 32 {
			return 0, 0, false
		}
	}
	return addr, bits, true
}

func parseIPv4(text string) (addr uint64, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return 0, false
	}
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > 255 {
			return 0, false
		}
		addr = addr<<8 | uint64(n)
	}
	return addr, true
}
