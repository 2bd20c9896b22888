package zkmodel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// next asserts when the timer is due next.
func (r *clientRig) next(want Time) {
	r.t.Helper()
	got, ok := r.c.NextTimer()
	require.True(r.t, ok)
	require.Equal(r.t, want, got)
}

const pingSent = "send(#-2 ping)"

// A client that neither sends nor hears anything else pings every third of
// the timeout in every library.
func TestClientPingsWhenQuiet(t *testing.T) {
	for _, ping := range []PingPolicy{PingJava, PingGo, PingKazoo} {
		for _, timeout := range []Time{4 * time.Second, 10 * time.Second, 40 * time.Second} {
			r := newClientRig(t, ClientOptions{SessionTimeout: timeout, Ping: ping})
			r.do("start")
			r.now = time.Second
			r.do("connect 1 " + timeout.String())
			for range 4 {
				due := r.now + timeout*2/3/2
				r.next(due)
				r.now = due - 1
				r.play("timer", "")
				r.now = due
				r.play("timer", pingSent, "timer", "", "reply -2", "") // answered at once
			}
		}
	}
}

func TestClientPingJava(t *testing.T) {
	for _, tc := range []struct {
		timeout, heard, due string
	}{
		{"10s", "1s", "3.333333333s"},   // within a second of the last send: no change
		{"10s", "1.1s", "2.333333333s"}, // later: a second earlier
		{"10s", "2s", "2.333333333s"},   //
		{"10s", "2.5s", "2.5s"},         // at once
		{"4s", "900ms", "1.333333333s"}, //
		{"4s", "1.1s", "1.1s"},          //
		{"40s", "9s", "12.333333333s"},  //
		{"40s", "10.5s", "10.5s"},       // nothing sent for 10 s
		{"2s", "600ms", "666.666666ms"}, // shorter than the slack
		{"60s", "2s", "19s"},            //
		{"60s", "10s", "19s"},
		{"60s", "10.000000001s", "10.000000001s"},
	} {
		r := newClientRig(t, ClientOptions{Ping: PingJava})
		r.do("start")
		const connected = 5 * time.Second // the times of the table count from here
		r.now = connected
		r.do("connect 1 " + tc.timeout)
		r.now = connected + parseTime(t, tc.heard)
		r.play("event NodeDeleted /a", "")
		r.now = connected + parseTime(t, tc.due)
		r.next(r.now)
		r.play("timer", pingSent)
	}
}

// A request puts the next ping off, but not with go-zookeeper.
func TestClientPingAfterSend(t *testing.T) {
	for ping, due := range map[PingPolicy]string{PingJava: "6.333333333s", PingKazoo: "6.333333333s", PingGo: "3.333333333s"} {
		r := newClientRig(t, ClientOptions{Ping: ping})
		r.do("start")
		r.do("connect 1")
		r.do("at 3s")
		r.do("submit 1 sync /")
		r.next(parseTime(t, due))
		r.do("at " + due)
		r.play("timer", pingSent)
	}
}

// The second of slack counts from the last send.
func TestClientPingJavaSlackAfterSend(t *testing.T) {
	r := newClientRig(t, ClientOptions{Ping: PingJava})
	r.do("start")
	r.do("connect 1")
	r.do("at 2s")
	r.do("submit 1 sync /")
	r.do("at 2.5s")
	r.do("reply 1")
	r.next(parseTime(t, "5.333333333s"))
}

// Kazoo's ping waits for silence in both directions.
func TestClientPingKazooAfterHearing(t *testing.T) {
	r := newClientRig(t, ClientOptions{Ping: PingKazoo})
	r.do("start")
	r.do("connect 1")
	r.do("at 3s")
	r.do("event NodeDeleted /a")
	r.next(parseTime(t, "6.333333333s"))
}

func TestClientPingGoSkipsMissedTicks(t *testing.T) {
	r := newClientRig(t, ClientOptions{Ping: PingGo})
	r.do("start")
	r.do("connect 1 3s")
	r.do("at 1.9s")
	r.do("reply -2")
	r.play("timer", pingSent) // the tick of 1 s
	r.next(2 * time.Second)
	r.play("timer", "")
}

func TestClientReadTimeout(t *testing.T) {
	for timeout, dropped := range map[string]string{"10s": "6.666666666s", "4s": "2.666666666s"} {
		for _, ping := range []PingPolicy{PingJava, PingGo, PingKazoo} {
			r := newClientRig(t, ClientOptions{Ping: ping, RedialMax: time.Second})
			r.do("listen 9")
			r.do("start")
			r.do("at 5s")
			r.do("connect 1 " + timeout)
			r.do("submit 1 sync /")
			deadline := r.now + parseTime(t, dropped)
			pings := 0
			for {
				at, ok := r.c.NextTimer()
				require.True(t, ok)
				r.now = at
				got := r.do("timer")
				if got != pingSent {
					require.Equal(t, "down hangup done(1 ConnectionLoss) call(9 Connecting) redial(0s-1s)", got)
					break
				}
				pings++ // never answered: does not count as heard
			}
			require.Equal(t, deadline, r.now)
			require.Positive(t, pings)
			_, ok := r.c.NextTimer()
			require.False(t, ok)
			r.play("timer", "")
		}
	}
}

func TestClientReadTimeoutBeginsAnew(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	r.do("start")
	r.do("connect 1 4s")
	for _, frame := range []string{"reply -2", "event NodeDeleted /a", "reply 77"} {
		r.now += parseTime(t, "2.6s")
		r.do(frame)
		r.do("timer")
		require.False(t, r.out.Hangup)
	}
	r.now += parseTime(t, "2.7s")
	r.do("timer")
	require.True(t, r.out.Hangup)
}

func TestClientConnectTimeout(t *testing.T) {
	r := newClientRig(t, ClientOptions{SessionTimeout: 6 * time.Second})
	_, ok := r.c.NextTimer()
	require.False(t, ok)
	r.do("at 1s")
	r.do("start")
	r.next(7 * time.Second)
	r.do("at 6.9s")
	r.play("timer", "")
	r.do("at 7s")
	r.play("timer", "hangup redial(0s-0s)", "timer", "")
	_, ok = r.c.NextTimer()
	require.False(t, ok)
	r.do("redial")
	r.next(13 * time.Second)

	r = newClientRig(t, GoOptions())
	r.do("start")
	r.next(time.Second)
}
