package zkmodel

import "testing"

// seed002:L13: a constructor that uses its handle before it is connected, over
// the plain Java client. What it asks for waits for the session, and does not
// fail for being early; it fails if the attempt to connect does, and then
// nothing was sent.
func TestHandleUsedBeforeItIsConnected(t *testing.T) {
	early := func() *clientRig {
		o := JavaOptions()
		o.RedialMin, o.RedialMax, o.RoundPause = 0, 0, 0
		r := newClientRig(t, o)
		r.play(
			"start", "dial send(connect s0 p0 z0 10s)",
			"submit 1 exists /lock", "",
			"submit 2 create /lock", "",
		)
		return r
	}
	early().play(
		"connect 1", "up send(#1 exists /lock) send(#2 create /lock)",
		"reply 1 NoNode z1", "done(1 NoNode)",
		"reply 2 OK z2", "done(2 OK)",
	)
	early().play(
		"closed", "done(1 ConnectionLoss) done(2 ConnectionLoss) redial(0s-0s)",
		"redial", "dial send(connect s0 p0 z0 10s)",
		"connect 1", "up",
	)
}
