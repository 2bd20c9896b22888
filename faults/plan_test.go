package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseFault(t *testing.T) {
	for _, c := range []struct {
		text string
		want Fault
		back string // "" if String gives the text itself
	}{
		{"crash:A@step3", Fault{Kind: Crash, Step: 3}, ""},
		{"crash:Z@0s", Fault{Kind: Crash, Client: 25}, ""},
		{"crash:26@0s", Fault{Kind: Crash, Client: 26}, ""},
		{"crash:0@0s", Fault{Kind: Crash}, "crash:A@0s"},
		{"crash:C@0", Fault{Kind: Crash, Client: 2}, "crash:C@0s"},
		{"restart:B@req2+3s", Fault{Kind: Restart, Client: 1, Request: 2, For: 3 * time.Second}, ""},
		{"restart:B@req2", Fault{Kind: Restart, Client: 1, Request: 2}, ""},
		{"pause:A@1500ms+12s", Fault{Kind: Pause, Time: 1500 * time.Millisecond, For: 12 * time.Second}, "pause:A@1.5s+12s"},
		{"expiry:A@2µs", Fault{Kind: Expiry, Time: 2 * time.Microsecond}, ""},
		{"resession:A@1h0m0s", Fault{Kind: Resession, Time: time.Hour}, ""},
		{"cut-request:A@req1", Fault{Kind: CutRequest, Request: 1}, ""},
		{"cut-reply:B@req3", Fault{Kind: CutReply, Client: 1, Request: 3}, ""},
		{"cut:255@step7", Fault{Kind: Cut, Client: 255, Step: 7}, ""},
		{"partition:A@1s+8s", Fault{Kind: Partition, Time: time.Second, For: 8 * time.Second}, ""},
		{"delay-event:A@req1+50ms", Fault{Kind: DelayEvent, Request: 1, For: 50 * time.Millisecond}, ""},
		{"interrupt:A@step1", Fault{Kind: Interrupt, Step: 1}, ""},
	} {
		f, err := ParseFault(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, f, c.text)
		want := c.back
		if want == "" {
			want = c.text
		}
		require.Equal(t, want, f.String())
	}
}

// faultForm ends every message about the form of a fault.
const faultForm = "; want kind:client@when[+length], as cut-reply:B@req3 or pause:A@1.5s+12s"

// kindList is what a message about an unknown kind names.
const kindList = "crash, restart, pause, expiry, resession, cut-request, cut-reply, cut, partition, delay-event, interrupt, leader-crash, lag"

func TestParseFaultErrors(t *testing.T) {
	const (
		moments = "; allowed: stepK or reqN with a number from 1, or a duration from 0s, as 1.5s"
		clients = "; allowed: A to Z or a number from 0"
		lengths = "; allowed: a duration above 0s, as 12s"
	)
	for _, c := range []struct{ text, want string }{
		{"", "no client" + faultForm},
		{"crash", "no client" + faultForm},
		{"crash@1s", "no client" + faultForm},
		{"crash:A", "no moment" + faultForm},
		{"crash:A1s", "no moment" + faultForm},
		{"boom:A@1s", `unknown fault "boom"; allowed: ` + kindList},
		{"Crash:A@1s", `unknown fault "Crash"; allowed: ` + kindList},
		{":A@1s", `unknown fault ""; allowed: ` + kindList},
		{"crash:@1s", `client ""` + clients + faultForm},
		{"crash:a@1s", `client "a"` + clients + faultForm},
		{"crash:AA@1s", `client "AA"` + clients + faultForm},
		{"crash:-1@1s", `client "-1"` + clients + faultForm},
		{"crash:+1@1s", `client "+1"` + clients + faultForm},
		{"crash:99999999999999999999@1s", `client "99999999999999999999"` + clients + faultForm},
		{"crash:A@", `moment ""` + moments + faultForm},
		{"crash:A@soon", `moment "soon"` + moments + faultForm},
		{"crash:A@5", `moment "5"` + moments + faultForm},
		{"crash:A@-1s", `moment "-1s"` + moments + faultForm},
		{"crash:A@step0", `moment "step0"` + moments + faultForm},
		{"crash:A@step-1", `moment "step-1"` + moments + faultForm},
		{"crash:A@step", `moment "step"` + moments + faultForm},
		{"crash:A@req0", `moment "req0"` + moments + faultForm},
		{"crash:A@reqx", `moment "reqx"` + moments + faultForm},
		{"pause:A@1s+", `length ""` + lengths + faultForm},
		{"pause:A@1s+0s", `length "0s"` + lengths + faultForm},
		{"pause:A@1s+-2s", `length "-2s"` + lengths + faultForm},
		{"pause:A@1s+x", `length "x"` + lengths + faultForm},
		{"crash:A@1s+2s", "a crash has no length; allowed for restart, pause, partition, delay-event, leader-crash, lag" + faultForm},
		{"cut-reply:A@1s", `moment "1s"; allowed for cut-reply: reqN with a number from 1` + faultForm},
		{"cut-request:A@step3", `moment "step3"; allowed for cut-request: reqN with a number from 1` + faultForm},
	} {
		_, err := ParseFault(c.text)
		require.EqualError(t, err, `fault "`+c.text+`": `+c.want)
	}
}

// drawFault draws a fault with exactly one moment, and a length only where it
// means something.
func drawFault(t *rapid.T) Fault {
	f := Fault{
		Kind:   rapid.SampledFrom(Kinds()).Draw(t, "kind"),
		Client: rapid.IntRange(0, 300).Draw(t, "client"),
	}
	when := rapid.IntRange(0, 2).Draw(t, "when")
	switch {
	case f.Kind.onRequest() || when == 0:
		f.Request = rapid.IntRange(1, 1<<40).Draw(t, "request")
	case when == 1:
		f.Step = rapid.IntRange(1, 1<<40).Draw(t, "step")
	default:
		f.Time = time.Duration(rapid.Int64Range(0, 1<<62).Draw(t, "time"))
	}
	if f.Kind.lasts() {
		f.For = time.Duration(rapid.Int64Range(0, 1<<62).Draw(t, "for"))
	}
	return f
}

func TestFaultRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFault(t)
		back, err := ParseFault(f.String())
		require.NoError(t, err)
		require.Equal(t, f, back)
	})
}

// Whatever a Fault holds, its text can be read back, and means the same.
func TestEveryFaultCanBeWritten(t *testing.T) {
	for _, k := range Kinds() {
		for _, f := range []Fault{
			{Kind: k},
			{Kind: k, Step: 3},
			{Kind: k, Step: 3, Request: 4, Time: time.Second},
			{Kind: k, Request: 4, Time: time.Second},
			{Kind: k, Time: time.Second, For: time.Second},
		} {
			back, err := ParseFault(f.String())
			require.NoError(t, err)
			require.Equal(t, f.String(), back.String())
		}
	}
	require.Equal(t, "cut-reply:A@req1", Fault{Kind: CutReply}.String(), "the first request if none is named")
}

// ParseFault takes nothing that it cannot write, and never panics.
func TestParseFaultOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"crash", "pause", "cut-reply", ":", "@", "+", "A", "req", "step", "1", "0", "-", "s", "ms", ".", " ", "é",
		})).Draw(t, "parts")
		f, err := ParseFault(strings.Join(parts, ""))
		if err != nil {
			require.Equal(t, Fault{}, f)
			return
		}
		back, err := ParseFault(f.String())
		require.NoError(t, err)
		require.Equal(t, f, back)
	})
}

func TestPlanString(t *testing.T) {
	require.Empty(t, Plan(nil).String())
	p := Plan{{Kind: CutReply, Client: 1, Request: 3}, {Kind: Pause, Time: time.Second, For: 2 * time.Second}}
	require.Equal(t, "cut-reply:B@req3 pause:A@1s+2s", p.String())
}

func TestKinds(t *testing.T) {
	require.Len(t, Kinds(), NumKinds)
	seen := map[string]bool{}
	for i, k := range Kinds() {
		require.Equal(t, Kind(i), k)
		require.False(t, seen[k.String()], k)
		seen[k.String()] = true
		back, err := ParseKind(k.String())
		require.NoError(t, err)
		require.Equal(t, k, back)
	}
	require.Equal(t, kindList, strings.Join(names[:], ", "))
	require.Equal(t, "fault(?)", Kind(NumKinds).String())
	_, err := ParseKind("fault(?)")
	require.EqualError(t, err, `unknown fault "fault(?)"; allowed: `+kindList)
}
