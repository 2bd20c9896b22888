package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios"
)

// live runs on what serve serves.
func TestLive(t *testing.T) {
	out, stop := serving(t, "--json")
	var at serveReport
	require.NoError(t, json.NewDecoder(out).Decode(&at))
	live := func(args ...string) (int, string) {
		var b bytes.Buffer
		code := run(context.Background(), append([]string{"live", "--connect", at.Address}, args...), &b, io.Discard)
		return code, b.String()
	}
	code, text := live("lock/curator", "--json")
	require.Equal(t, exitPass, code, text)
	var rep scenarios.LiveReport
	require.NoError(t, json.Unmarshal([]byte(text), &rep))
	require.Equal(t, "lock/curator", rep.Variant)
	require.Equal(t, map[string]int64{"create": 3, "delete": 3, "getChildren2": 5, "getData": 2}, rep.Metrics.Requests)
	require.True(t, rep.Equal)
	require.Equal(t, checker.Pass, rep.Verdicts[0].Verdict)

	code, text = live("queue/zkdocs", "--producers", "1", "--consumers", "1", "--ops", "2")
	require.Equal(t, exitPass, code, text)
	require.Regexp(t, `(?m)^create +2 +2$`, text)
	require.Regexp(t, `(?m)^lost +.*pass$`, text)
	require.NotContains(t, text, "not the same")

	// Its look at the Stat of create2 costs an exists more than in simulation.
	code, text = live("lock/fenced")
	require.Equal(t, exitFail, code, text)
	require.NotContains(t, text, "FAIL")
	require.Contains(t, text, "not the same")

	code, text = live("rwlock/seed000", "--clients", "4", "--budget", "3s")
	require.Equal(t, exitFail, code, text)
	require.Regexp(t, `(?m)^progress +run +FAIL`, text)
	require.Equal(t, exitPass, stop())
}
