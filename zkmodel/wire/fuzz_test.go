package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// Whatever is read is written so that it is read as the same again.

func FuzzRequest(f *testing.F) {
	for _, op := range requestOps {
		f.Add(wire.AppendRequest(nil, &zkmodel.Request{Xid: 1, Op: op, Path: "/a", Data: []byte("x"), Multi: []zkmodel.MultiOp{
			{Op: zkmodel.OpCreate, Path: "/b"}, {Op: zkmodel.OpSetData, Path: "/c"}, {Op: zkmodel.OpGetChildren, Path: "/"},
		}, Watches: &zkmodel.WatchSet{Data: []string{"/a"}}}))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		q, err := wire.DecodeRequest(p)
		if err != nil || q.Malformed {
			return
		}
		again, err := wire.DecodeRequest(wire.AppendRequest(nil, &q))
		require.NoError(t, err)
		require.Equal(t, q, again)
	})
}

func FuzzResponse(f *testing.F) {
	for _, op := range requestOps {
		f.Add(int32(op), wire.AppendResponse(nil, &zkmodel.Response{Xid: 1, Op: op, Path: "/a", Children: []string{"b"}, Multi: []zkmodel.MultiResult{
			{Op: zkmodel.OpCreate, Path: "/b"}, {Op: zkmodel.OpSetData}, {Op: zkmodel.OpError, Err: zkmodel.NoNode},
		}}))
	}
	f.Add(int32(0), wire.AppendResponse(nil, &zkmodel.Response{Kind: zkmodel.KindEvent, Xid: -1, Event: 1, Path: "/a"}))
	f.Fuzz(func(t *testing.T, op int32, p []byte) {
		q, err := wire.DecodeResponse(p, zkmodel.OpCode(op))
		if err != nil {
			return
		}
		again, err := wire.DecodeResponse(wire.AppendResponse(nil, &q), zkmodel.OpCode(op))
		require.NoError(t, err)
		require.Equal(t, q, again)
	})
}

func FuzzConnect(f *testing.F) {
	id := int64(0x0100000000000001)
	f.Add(wire.AppendConnectRequest(nil, &zkmodel.Request{SessionID: id, Password: zkmodel.SessionPassword(id)}, true))
	f.Add(wire.AppendConnectResponse(nil, &zkmodel.Response{SessionID: id, Password: zkmodel.SessionPassword(id)}, false))
	f.Fuzz(func(t *testing.T, p []byte) {
		if q, readOnly, err := wire.DecodeConnectRequest(p); err == nil {
			again, ro, err := wire.DecodeConnectRequest(wire.AppendConnectRequest(nil, &q, readOnly))
			require.NoError(t, err)
			require.Equal(t, readOnly, ro)
			require.Equal(t, q, again)
		}
		if q, readOnly, err := wire.DecodeConnectResponse(p); err == nil {
			again, ro, err := wire.DecodeConnectResponse(wire.AppendConnectResponse(nil, &q, readOnly))
			require.NoError(t, err)
			require.Equal(t, readOnly, ro)
			require.Equal(t, q, again)
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 7, 0, 0, 0, 0}, 8)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		whole := len(b)
		for {
			payload, rest, ok, err := wire.CutFrame(b, limit)
			if err != nil || !ok {
				require.Equal(t, b, rest)
				return
			}
			require.Len(t, b, 4+len(payload)+len(rest))
			require.LessOrEqual(t, len(payload), limit)
			b = rest
			require.Less(t, len(b), whole)
			whole = len(b)
		}
	})
}
