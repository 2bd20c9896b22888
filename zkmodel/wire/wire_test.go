package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

func TestRequestsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawRequest(t)
		p := wire.AppendRequest(nil, &q)
		tail := rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "tail")
		if q.Op == zkmodel.OpDeleteContainer {
			tail = nil // its path has no length
		}
		got, err := wire.DecodeRequest(append(p, tail...))
		require.NoError(t, err)
		require.Equal(t, q, got)
	})
}

func TestResponsesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawResponse(t)
		p := wire.AppendResponse(nil, &q)
		got, err := wire.DecodeResponse(p, q.Op)
		require.NoError(t, err)
		require.Equal(t, q, got)
		_, err = wire.DecodeResponse(append(p, 0), q.Op)
		require.ErrorIs(t, err, wire.ErrMalformed, "a byte too many")
		_, err = wire.DecodeResponse(p[:len(p)-1], q.Op)
		require.ErrorIs(t, err, wire.ErrMalformed, "a byte too few")
	})
}

func TestConnectRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		readOnly := rapid.Bool().Draw(t, "readOnly")
		q := zkmodel.Request{Op: zkmodel.OpConnect, LastZxidSeen: rapid.Int64().Draw(t, "zxid"), Timeout: drawTimeout(t)}
		q.SessionID, q.Password = drawSession(t)
		p := wire.AppendConnectRequest(nil, &q, readOnly)
		got, ro, err := wire.DecodeConnectRequest(p)
		require.NoError(t, err)
		require.Equal(t, readOnly, ro)
		require.Equal(t, q, got)

		r := zkmodel.Response{Kind: zkmodel.KindConnect, Op: zkmodel.OpConnect, Timeout: drawTimeout(t)}
		r.SessionID, r.Password = drawSession(t)
		back, ro, err := wire.DecodeConnectResponse(wire.AppendConnectResponse(nil, &r, readOnly))
		require.NoError(t, err)
		require.Equal(t, readOnly, ro)
		require.Equal(t, r, back)
	})
}

// A request that is cut short anywhere keeps its header and is malformed.
func TestShortRequestsAreMalformed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawRequest(t)
		p := wire.AppendRequest(nil, &q)
		n := rapid.IntRange(0, len(p)-1).Draw(t, "length")
		got, err := wire.DecodeRequest(p[:n])
		if n < 8 {
			require.ErrorIs(t, err, wire.ErrMalformed)
			return
		}
		require.NoError(t, err)
		if q.Op != zkmodel.OpDeleteContainer {
			require.Equal(t, zkmodel.Request{Xid: q.Xid, Op: q.Op, Malformed: true}, got)
		}
	})
}

// What was seen on the wire to and from ZooKeeper 3.8.0.
func TestBytesAsMeasured(t *testing.T) {
	connect := zkmodel.Request{Op: zkmodel.OpConnect, Timeout: 10 * time.Second}
	requireHex(t, "00000000 0000000000000000 00002710 0000000000000000 00000010"+strings.Repeat("00", 16)+"00",
		wire.AppendConnectRequest(nil, &connect, true))
	create := zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a", Data: []byte("x"), Flags: 3}
	requireHex(t, `00000001 00000001 00000002 2f61 00000001 78
		00000001 0000001f 00000005 776f726c64 00000006 616e796f6e65 00000003`,
		wire.AppendRequest(nil, &create))
	ping := zkmodel.Response{Op: zkmodel.OpPing, Xid: -2, Zxid: 5}
	requireHex(t, "fffffffe 0000000000000005 00000000", wire.AppendResponse(nil, &ping))
	event := zkmodel.Response{Kind: zkmodel.KindEvent, Xid: -1, Zxid: -1, Event: zkmodel.EventNodeDeleted, Path: "/a"}
	requireHex(t, "ffffffff ffffffffffffffff 00000000 00000002 00000003 00000002 2f61", wire.AppendResponse(nil, &event))
	failed := zkmodel.Response{Op: zkmodel.OpMulti, Xid: 2, Zxid: 7, Multi: []zkmodel.MultiResult{
		{Op: zkmodel.OpError}, {Op: zkmodel.OpError, Err: zkmodel.NoNode}, {Op: zkmodel.OpError, Err: zkmodel.RuntimeInconsistency},
	}}
	requireHex(t, `00000002 0000000000000007 00000000
		ffffffff 00 00000000 00000000
		ffffffff 00 ffffff9b ffffff9b
		ffffffff 00 fffffffe fffffffe
		ffffffff 01 ffffffff`, wire.AppendResponse(nil, &failed))
	ok := zkmodel.Response{Op: zkmodel.OpMulti, Xid: 2, Zxid: 7, Multi: []zkmodel.MultiResult{
		{Op: zkmodel.OpCreate, Path: "/a"}, {Op: zkmodel.OpDelete},
	}}
	requireHex(t, `00000002 0000000000000007 00000000
		00000001 00 00000000 00000002 2f61
		00000002 00 00000000
		ffffffff 01 ffffffff`, wire.AppendResponse(nil, &ok))
}

func requireHex(t *testing.T, want string, got []byte) {
	t.Helper()
	require.Equal(t, strings.Join(strings.Fields(want), ""), hex.EncodeToString(got))
}

func TestNullsAndOddValues(t *testing.T) {
	const null = "ffffffff"
	header := func(op zkmodel.OpCode) string { return fmt.Sprintf("00000001%08x", uint32(op)) }
	for _, c := range []struct {
		name, body string
		op         zkmodel.OpCode
		want       zkmodel.Request
	}{
		{"null path", null + "00", zkmodel.OpExists, zkmodel.Request{Malformed: true}},
		{"negative length", "fffffffe00", zkmodel.OpExists, zkmodel.Request{Malformed: true}},
		{"any byte is true", "00000001 2f 07", zkmodel.OpExists, zkmodel.Request{Path: "/", Watch: true}},
		{"null data and ACL", "00000001 2f" + null + null + "00000000", zkmodel.OpCreate, zkmodel.Request{Path: "/", ACL: []zkmodel.ACL{}}},
		{"null vectors", "0000000000000001" + null + null + "fffffff0", zkmodel.OpSetWatches, zkmodel.Request{Watches: &zkmodel.WatchSet{RelativeZxid: 1}}},
		{"a vector that claims too much", "0000000000000001 7fffffff", zkmodel.OpSetWatches, zkmodel.Request{Malformed: true}},
		{"a null path in a vector", "0000000000000001 00000001" + null + "00000000 00000000", zkmodel.OpSetWatches, zkmodel.Request{Malformed: true}},
		{"a type that no multi has", "00000009 00 ffffffff 00000001 2f", zkmodel.OpMulti, zkmodel.Request{Malformed: true}},
		{"a multi without end", "", zkmodel.OpMulti, zkmodel.Request{Malformed: true}},
		{"a type that is not known", "", 99, zkmodel.Request{}},
	} {
		p, err := hex.DecodeString(strings.Join(strings.Fields(header(c.op)+c.body), ""))
		require.NoError(t, err, c.name)
		c.want.Xid, c.want.Op = 1, c.op
		got, err := wire.DecodeRequest(p)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
}

// The string bytes of a path are read as Java reads them.
func TestBrokenUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"/\xff\xfe":          "/\ufffd\ufffd",
		"/\xe2\x82":          "/\ufffd",
		"/\xe2\x82x":         "/\ufffdx",
		"/\xf0\x9d\x84":      "/\ufffd",
		"/\xed\xa0\x80":      "/\ufffd\ufffd\ufffd", // a surrogate
		"/\xc0\xaf":          "/\ufffd\ufffd",
		"/\xf0\x80\x80\x41é": "/\ufffd\ufffd\ufffdAé",
	} {
		q := zkmodel.Request{Op: zkmodel.OpSync, Path: in}
		got, err := wire.DecodeRequest(wire.AppendRequest(nil, &q))
		require.NoError(t, err)
		require.Equal(t, want, got.Path, "%q", in)
	}
}

func TestPasswordIsThatOfZooKeeper(t *testing.T) {
	// new java.util.Random(id ^ 0xB3415C00L).nextBytes(new byte[16]), Java 17.
	for id, want := range map[int64]string{
		0x0000000000000001: "054cc74a37327db215e702e20c73f005",
		0x0100000000000001: "054cc74a37327db215e702e20c73f005",
		0x100190f5a2b30000: "0f2ebd4af047570e050d0c9fb9511278",
		-2:                 "0dd532b5c441e3927c04b55e50fd9421",
	} {
		p := wire.Password(id)
		require.Equal(t, want, hex.EncodeToString(p[:]), "%#x", id)
	}
}

func TestConnectPasswords(t *testing.T) {
	const id = 0x0100000000000007
	q := zkmodel.Request{Op: zkmodel.OpConnect, SessionID: id, Password: zkmodel.SessionPassword(id)}
	p := wire.AppendConnectRequest(nil, &q, false)
	own := wire.Password(id)
	require.True(t, bytes.HasSuffix(p, own[:]))
	p[len(p)-1] ^= 1
	got, _, err := wire.DecodeConnectRequest(p)
	require.NoError(t, err)
	require.Zero(t, got.Password, "one bit off")

	q.SessionID = 0
	p = wire.AppendConnectRequest(nil, &q, false)
	binary.BigEndian.PutUint32(p[len(p)-20:], 0xffffffff)
	_, readOnly, err := wire.DecodeConnectRequest(p[:len(p)-16])
	require.NoError(t, err, "a null password")
	require.False(t, readOnly)
	_, _, err = wire.DecodeConnectRequest(p[:20])
	require.ErrorIs(t, err, wire.ErrMalformed)
}

func TestCutFrame(t *testing.T) {
	b := wire.EndFrame(append(wire.BeginFrame(nil), "abc"...), 0)
	start := len(b)
	b = wire.EndFrame(wire.BeginFrame(b), start)
	p, rest, ok, err := wire.CutFrame(b, 3)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "abc", string(p))
	p, rest, ok, err = wire.CutFrame(rest, 3)
	require.NoError(t, err)
	require.True(t, ok)
	require.Empty(t, p)
	require.Empty(t, rest)
	for n := range start {
		_, _, ok, err = wire.CutFrame(b[:n], 3)
		require.NoError(t, err)
		require.False(t, ok, n)
	}
	_, _, _, err = wire.CutFrame(b[:4], 2)
	require.ErrorIs(t, err, wire.ErrMalformed)
	_, _, _, err = wire.CutFrame([]byte{0xff, 0xff, 0xff, 0xff}, wire.DefaultMaxFrame)
	require.ErrorIs(t, err, wire.ErrMalformed)
}

// What decoding takes is bounded by what it reads, whatever a length claims.
func TestDecodingIsBoundedByTheInput(t *testing.T) {
	claims := [][]byte{}
	for _, op := range requestOps {
		p := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(op))
		claims = append(claims, append(p, bytes.Repeat([]byte{0x7f}, 1<<10)...))
	}
	// As many smallest items as fit, of each kind of vector.
	paths := zkmodel.Request{Op: zkmodel.OpSetWatches, Watches: &zkmodel.WatchSet{Data: make([]string, 1<<14)}}
	acls := zkmodel.Request{Op: zkmodel.OpSetACL, ACL: make([]zkmodel.ACL, 1<<13)}
	ops := zkmodel.Request{Op: zkmodel.OpMulti, Multi: make([]zkmodel.MultiOp, 1<<13)}
	for i := range ops.Multi {
		ops.Multi[i].Op = zkmodel.OpGetData
	}
	for _, q := range []*zkmodel.Request{&paths, &acls, &ops} {
		claims = append(claims, wire.AppendRequest(nil, q))
	}
	for _, p := range claims {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = wire.DecodeRequest(p)
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		require.LessOrEqual(t, took, uint64(40*len(p)+4096), "op %d", p[7])
	}
}
