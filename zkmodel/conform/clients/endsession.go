package clients

import (
	"fmt"
	"io"
	"net"
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// endSession ends a session on a connection of its own, as a second client with
// its id and password would.
func endSession(address string, id int64) error {
	c, err := net.DialTimeout("tcp", address, gozkTimeout)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // the server has closed it
	if err := c.SetDeadline(time.Now().Add(gozkTimeout)); err != nil {
		return err
	}
	b := wire.AppendConnectRequest(wire.BeginFrame(nil), &zkmodel.Request{
		Timeout: gozkTimeout, SessionID: id, Password: zkmodel.SessionPassword(id),
	}, true)
	b = wire.EndFrame(b, 0)
	start := len(b)
	b = wire.AppendRequest(wire.BeginFrame(b), &zkmodel.Request{Xid: 1, Op: zkmodel.OpCloseSession})
	b = wire.EndFrame(b, start)
	if _, err := c.Write(b); err != nil {
		return err
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		return err
	}
	p, _, ok, err := wire.CutFrame(answer, wire.DefaultMaxFrame)
	if err != nil || !ok {
		return fmt.Errorf("no connect response: %w", err)
	}
	r, _, err := wire.DecodeConnectResponse(p)
	if err == nil && r.SessionID != id {
		err = fmt.Errorf("session %#x is not alive", id)
	}
	return err
}
