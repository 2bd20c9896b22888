package zkmodel_test

import (
	"fmt"
	"time"

	"zoosim/zkmodel"
)

// Three servers elect a leader, and a client of one of them writes. The driver
// holds the links: here every message arrives at once and in order, and time
// passes only when nothing is under way.
func ExamplePeer() {
	var (
		now   zkmodel.Time
		out   zkmodel.PeerOutput
		links []zkmodel.PeerMessage
		peers [4]zkmodel.Peer // from 1
	)
	carryOut := func() {
		links = append(links, out.Messages...)
		for _, f := range out.Frames {
			switch r := &f.Response; {
			case f.Hangup:
				fmt.Printf("connection %d: closed\n", f.Conn)
			case r.Kind == zkmodel.KindConnect:
				fmt.Printf("connection %d: a session for %v\n", f.Conn, r.Timeout)
			default:
				fmt.Printf("connection %d: %s %s, zxid %#x\n", f.Conn, r.Op, r.Err, r.Zxid)
			}
		}
		out.Reset()
	}
	run := func(d time.Duration) {
		for end := now + d; ; {
			for len(links) > 0 {
				m := links[0]
				links = links[1:]
				peers[m.To].Deliver(now, &m, &out)
				carryOut()
			}
			next := 1
			for i := 2; i <= 3; i++ {
				if peers[i].NextTimer() < peers[next].NextTimer() {
					next = i
				}
			}
			if now = min(peers[next].NextTimer(), end); now == end {
				return
			}
			peers[next].Timer(now, &out)
			carryOut()
		}
	}

	for i := 1; i <= 3; i++ {
		peers[i].Init(zkmodel.PeerOptions{ID: i, Servers: 3})
	}
	for i := 1; i <= 3; i++ {
		peers[i].Start(now, &out)
		carryOut()
	}
	run(time.Second)
	fmt.Println("server 3:", peers[3].Role(), peers[3].Epoch())

	const conn = 7
	peers[1].Handle(now, conn, &zkmodel.Request{Op: zkmodel.OpConnect, Timeout: 10 * time.Second}, &out)
	carryOut()
	run(time.Millisecond)
	peers[1].Handle(now, conn, &zkmodel.Request{Op: zkmodel.OpCreate, Xid: 1, Path: "/a"}, &out)
	carryOut()
	run(time.Millisecond)
	_, ok := peers[2].Server().Lookup("/a")
	fmt.Println("server 2 has it:", ok)
	// Output:
	// server 3: LEADING 1
	// connection 7: a session for 10s
	// connection 7: create OK, zxid 0x100000002
	// server 2 has it: true
}
