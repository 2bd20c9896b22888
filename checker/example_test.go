package checker_test

import (
	"fmt"
	"time"

	"zoosim/checker"
)

// A lock that lets two clients in at once, and never serves a third.
var overlap = []checker.Event{
	{At: 0, Kind: checker.Invoke, Client: 0},
	{At: 3100 * time.Millisecond, Kind: checker.Grant, Client: 0},
	{At: 4 * time.Second, Kind: checker.Invoke, Client: 1},
	{At: 5 * time.Second, Kind: checker.Invoke, Client: 2},
	{At: 7204 * time.Millisecond, Kind: checker.Grant, Client: 2},
	{At: 9 * time.Second, Kind: checker.Quiescent, Client: -1},
}

func ExampleLock() {
	var l checker.Lock
	l.Reset(checker.LockConfig{Clients: 3})
	for i := range overlap {
		l.Observe(&overlap[i])
	}
	for _, r := range l.Finish(overlap) {
		if r.Verdict == checker.Failed {
			fmt.Printf("%s: %s\n", r.Property, r.Why)
		}
	}
	// Output:
	// exclusion: C was granted the lock at 7.204s while A held it since 3.100s
	// linearizable: the operations have no linearization as a mutex: C was granted the lock at 7.204s while A held it since 3.100s
	// progress: B waits for the lock (acquire 0, blocking) since 4.000s, and from 9.000s on nothing can happen any more
}

func ExampleLockMetrics() {
	var m checker.LockMetrics
	m.Reset(3)
	for i := range overlap {
		m.Observe(&overlap[i])
	}
	s := m.Summary()
	fmt.Println(s.Acquisitions, "grants, median wait", s.WaitMedian)
	// Output: 2 grants, median wait 2.204s
}

func ExampleMutexLinearizable() {
	r := checker.MutexLinearizable(overlap, checker.LinearizableOptions{})
	fmt.Println(r.Verdict)
	// Output: fail
}

func ExampleMean95() {
	i := checker.Mean95([]float64{9, 10, 11})
	fmt.Printf("%.2f (%.2f to %.2f)\n", i.Mean, i.Low, i.High)
	// Output: 10.00 (7.52 to 12.48)
}
