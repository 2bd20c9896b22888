package wire

import (
	"bytes"
	"fmt"
	"time"

	"zoosim/zkmodel"
)

// PasswordBytes is the length of a session's password.
const PasswordBytes = 16

// Password is a session's password as ZooKeeper makes it from the id: 16 bytes
// of java.util.Random seeded with id ^ 0xB3415C00 (class ZooKeeperServer,
// generatePasswd). The machines use [zkmodel.SessionPassword] instead.
func Password(id int64) [PasswordBytes]byte {
	var p [PasswordBytes]byte
	// The constants of java.util.Random, which documents them.
	const multiplier, increment, mask = 0x5DEECE66D, 0xB, 1<<48 - 1
	state := (uint64(id^0xB3415C00) ^ multiplier) & mask
	for i := 0; i < PasswordBytes; i += 4 {
		state = (state*multiplier + increment) & mask
		w := uint32(state >> 16)
		p[i], p[i+1], p[i+2], p[i+3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
	}
	return p
}

// AppendConnectRequest appends the payload of the first frame of a connection.
// readOnly says whether the byte that tells of read-only clients stands at the
// end, as in clients since 3.4; it is 0. A session's password is written as
// [Password] makes it if r.Password is that of the session, and as zeros if
// not.
func AppendConnectRequest(dst []byte, r *zkmodel.Request, readOnly bool) []byte {
	dst = appendInt(dst, 0) // protocol version
	dst = appendLong(dst, r.LastZxidSeen)
	dst = appendInt(dst, int32(r.Timeout/time.Millisecond))
	return appendSession(dst, r.SessionID, r.Password, readOnly)
}

// appendSession is the end that both connect records share.
func appendSession(dst []byte, id int64, password uint64, readOnly bool) []byte {
	var p [PasswordBytes]byte
	if id != 0 && password == zkmodel.SessionPassword(id) {
		p = Password(id)
	}
	dst = appendBuffer(appendLong(dst, id), p[:])
	if readOnly {
		dst = append(dst, 0)
	}
	return dst
}

// session reads what appendSession writes. A byte at the end may be missing.
func (r *reader) session() (id int64, password uint64, readOnly bool) {
	id = r.long()
	p := r.buffer()
	if own := Password(id); id != 0 && bytes.Equal(p, own[:]) {
		password = zkmodel.SessionPassword(id)
	}
	readOnly = !r.bad && len(r.b) > 0
	return id, password, readOnly
}

// DecodeConnectRequest reads the payload of the first frame of a connection;
// readOnly says whether the byte of read-only clients was there. A server
// closes the connection on an error.
func DecodeConnectRequest(p []byte) (q zkmodel.Request, readOnly bool, err error) {
	r := reader{b: p}
	r.int() // the protocol version is not looked at
	q = zkmodel.Request{
		Op:           zkmodel.OpConnect,
		LastZxidSeen: r.long(),
		Timeout:      time.Duration(r.int()) * time.Millisecond,
	}
	q.SessionID, q.Password, readOnly = r.session()
	if r.bad {
		return zkmodel.Request{}, false, fmt.Errorf("connect request of %d bytes: %w", len(p), ErrMalformed)
	}
	return q, readOnly, nil
}

// AppendConnectResponse appends the payload of the answer; readOnly is that of
// the request.
func AppendConnectResponse(dst []byte, r *zkmodel.Response, readOnly bool) []byte {
	dst = appendInt(dst, 0)
	dst = appendInt(dst, int32(r.Timeout/time.Millisecond))
	return appendSession(dst, r.SessionID, r.Password, readOnly)
}

// DecodeConnectResponse reads the payload of the answer.
func DecodeConnectResponse(p []byte) (q zkmodel.Response, readOnly bool, err error) {
	r := reader{b: p}
	r.int()
	q = zkmodel.Response{
		Kind: zkmodel.KindConnect, Op: zkmodel.OpConnect,
		Timeout: time.Duration(r.int()) * time.Millisecond,
	}
	q.SessionID, q.Password, readOnly = r.session()
	if r.bad || len(r.b) > 1 {
		return zkmodel.Response{}, false, fmt.Errorf("connect response of %d bytes: %w", len(p), ErrMalformed)
	}
	return q, readOnly, nil
}
