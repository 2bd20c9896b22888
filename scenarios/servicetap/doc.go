// Package servicetap stands beside a simulated ZooKeeper server and tells what
// it takes in and puts out as the events that [checker.Service] reads.
//
// Whoever drives a [zkmodel.Server] calls the methods of a [Tap]: Plant behind
// the set-up, Request when a request is sent or taken up, Output behind every
// input, Drop when the server is told that a connection is gone.
//
//	var s checker.Service
//	s.Reset()
//	tap := servicetap.Tap{To: &s}
//	tap.Request(now, conn, &request)
//	server.Handle(now, conn, &request, &out)
//	tap.Output(now, client, &request, &out)
//	fmt.Println(s.Finish().Verdict)
//
// The package imports checker and zkmodel alone.
package servicetap
