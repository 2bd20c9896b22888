package checker_test

import (
	"fmt"
	"time"

	"zoosim/checker"
)

// A read shows B a change of which the watch that it left has not told it.
func ExampleService() {
	stream := []checker.ServiceEvent{
		{Kind: checker.ServiceOpen, Session: 1, Zxid: 1},
		{Kind: checker.ServiceAttach, Session: 1, Conn: 0, Client: 1},
		{Kind: checker.ServiceRequest, Conn: 0, Xid: 1, Op: 3, Path: "/lock", Watch: true},
		{Kind: checker.ServiceReply, Conn: 0, Xid: 1, Zxid: 1, Err: -101},
		{Kind: checker.ServiceApply, Zxid: 2, Op: 1, Path: "/lock", At: time.Second},
		{Kind: checker.ServiceRequest, Conn: 0, Xid: 2, Op: 4, Path: "/lock", At: 2 * time.Second},
		{Kind: checker.ServiceReply, Conn: 0, Xid: 2, Zxid: 2, At: 2 * time.Second},
	}
	var s checker.Service
	s.Reset()
	for i := range stream {
		s.Observe(&stream[i])
	}
	r := s.Finish()
	fmt.Println(r.Property, r.Verdict)
	fmt.Println(r.Why)
	// Output:
	// service fail
	// event-before-read: the reply to getData(/lock) showed B zxid 2 at 2.000s before the event NodeCreated(/lock) of zxid 2, which its watch had asked for
}
