package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The bound is for waiters of the core alone, and for acquires.
func TestWaiterBound(t *testing.T) {
	late := parseHistory(t, `
		0.000 A invoke 0
		9.000 A grant 0
		9.000 A release 0
		19.000 A released 0
		19.000 B invoke 0
		19.000 C invoke 0
		29.000 C grant 0
		29.000 - horizon
	`)
	judged := func(cfg LockConfig) Result {
		var l Lock
		return resultOf(t, judge(&l, cfg, late), Progress)
	}
	require.Equal(t, time.Duration(0), judged(LockConfig{Clients: 3}).At-29*time.Second, "B waits")
	require.Equal(t, 9*time.Second, judged(LockConfig{Clients: 3, WaiterBound: time.Second}).At)
	require.Equal(t, 29*time.Second, judged(LockConfig{Clients: 3, WaiterBound: 9 * time.Second}).At)
	require.Equal(t, Pass, judged(LockConfig{Clients: 3, WaiterBound: 9 * time.Second, Core: 1}).Verdict)
	require.Equal(t, Failed, judged(LockConfig{Clients: 3, WaiterBound: 9 * time.Second, Core: 2}).Verdict)
}

// A history that ends early is undecided as long as one of the core may go on.
func TestUndecidedProgressOfTheCore(t *testing.T) {
	cut := parseHistory(t, `
		0.000 A invoke 0
		1.000 A grant 0
		2.000 A release 0
		2.000 A released 0
		2.000 A done
		3.000 - cut-off
	`)
	var l Lock
	require.Equal(t, Unknown, resultOf(t, judge(&l, LockConfig{Clients: 2}, cut), Progress).Verdict)
	require.Equal(t, Pass, resultOf(t, judge(&l, LockConfig{Clients: 2, Core: 1}, cut), Progress).Verdict)
}

// How often one acquire is overtaken, and how long waits are.
func TestStarvationAsNumbers(t *testing.T) {
	var m LockMetrics
	s := measure(&m, parseHistory(t, `
		0.000 A invoke 0
		0.100 A create zxid=1
		0.200 A grant 0
		1.000 B invoke 0
		1.100 B create zxid=2
		1.200 D invoke 0
		1.300 D create zxid=3
		2.000 C invoke 0
		2.100 C create zxid=4
		3.000 A release 0
		3.000 A delete zxid=1
		3.100 A released 0
		4.000 C grant 0
		4.100 C release 0
		4.100 C delete zxid=4
		4.200 C released 0
		5.000 C invoke 1
		5.100 C create zxid=5
		6.000 C grant 1
		6.100 C release 1
		6.100 C delete zxid=5
		6.200 C released 1
		7.000 D grant 0
		7.100 D release 0
		7.100 D delete zxid=3
		7.200 D released 0
		9.000 - horizon
	`))
	require.Equal(t, int64(3), s.Overtakes)
	require.Equal(t, int64(3), s.MaxOvertaken, "B by C twice and by D")
	require.Equal(t, 5800*time.Millisecond, s.WaitMax, "D")
	require.Equal(t, 8*time.Second, s.WaitUnserved, "B")
}
