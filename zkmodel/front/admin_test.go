package front_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/front"
)

// admin sends a request to the admin page.
func admin(t *testing.T, f *front.Front, method, path, body string, header ...string) (int, string) {
	r, err := http.NewRequest(method, "http://"+f.AdminAddr()+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	client := http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	res, err := client.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(b)
}

func TestAdminPage(t *testing.T) {
	f := start(t, front.Options{Admin: "127.0.0.1:0"})
	c := connected(t, f)
	require.Equal(t, zkmodel.OK, c.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/<e>", Flags: zkmodel.FlagEphemeral}).Err)

	status, page := admin(t, f, "GET", "/", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, f.Addrs()[0])
	require.Contains(t, page, "/&lt;e&gt;")

	status, body := admin(t, f, "POST", "/faults", "faults: [{do: cut-reply, op: sync, count: 2}]")
	require.Equal(t, http.StatusOK, status)
	var st front.State
	require.NoError(t, json.Unmarshal([]byte(body), &st))
	require.Len(t, st.Faults, 1)
	require.Equal(t, 1, st.Sessions[0].Number)
	require.True(t, st.Sessions[0].Connected)
	require.Equal(t, []string{"/<e>"}, st.Sessions[0].Ephemerals)

	script := url.Values{"script": {"faults: [{do: partition, session: 1, for: 1h, op: sync, count: 2}]"}}.Encode()
	const form = "application/x-www-form-urlencoded"
	status, _ = admin(t, f, "POST", "/faults", script, "Content-Type", form, "Origin", "http://"+f.AdminAddr())
	require.Equal(t, http.StatusSeeOther, status)

	c.do(zkmodel.Request{Xid: 2, Op: zkmodel.OpSync, Path: "/"})
	c.write(requestFrame(zkmodel.Request{Xid: 3, Op: zkmodel.OpSync, Path: "/"}))
	require.Eventually(t, func() bool { return f.State().Faults[1].Struck }, 5*time.Second, time.Millisecond)
	_, body = admin(t, f, "GET", "/state", "")
	st = front.State{}
	require.NoError(t, json.Unmarshal([]byte(body), &st))
	require.Equal(t, 2, st.Faults[0].Seen)
	require.Equal(t, "reply lost", st.Faults[0].Effect)
	require.Regexp(t, `session 1 \(0x1[0-9a-f]{14}\) cut off`, st.Faults[1].Effect)
	require.NotEmpty(t, st.Sessions[0].CutOff)

	status, body = admin(t, f, "POST", "/faults", "faults: [{do: harm}]")
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "script:1: faults[0]: do: \"harm\"; allowed: cut-request, cut-reply, cut, partition, expiry, crash, leader-crash\n", body)
	status, _ = admin(t, f, "POST", "/faults", strings.Repeat("#", 2<<20))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)

	admin(t, f, "POST", "/faults/drop", "")
	require.Empty(t, f.State().Faults)
	status, _ = admin(t, f, "GET", "/else", "")
	require.Equal(t, http.StatusNotFound, status)
}

func TestAdminRefusesForeigners(t *testing.T) {
	f := start(t, front.Options{Admin: "127.0.0.1:0"})
	for name, header := range map[string][]string{
		"a host that was made to point here": {"Host", "zoo.example.org"},
		"the same with the port":             {"Host", "zoo.example.org:80"},
		"an address of another machine":      {"Host", "192.0.2.1"},
		"a page of another site":             {"Origin", "http://zoo.example.org"},
		"a page of another port":             {"Origin", "http://127.0.0.1:1"},
		"a page without origin":              {"Origin", "null"},
	} {
		for _, method := range []string{"GET", "POST"} {
			status, body := admin(t, f, method, "/faults/drop", "", header...)
			require.Equal(t, http.StatusForbidden, status, name)
			require.Equal(t, "foreign Host or Origin; allowed: those of this page\n", body)
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1:80", "[::1]:80"} {
		status, _ := admin(t, f, "GET", "/state", "", "Host", host)
		require.Equal(t, http.StatusOK, status, host)
	}
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "zoo.example.org:0"} {
		_, err := front.Start(front.Options{Admin: addr})
		require.ErrorContains(t, err, "no loopback host; allowed: HOST:PORT with a loopback host, as 127.0.0.1:0", addr)
	}
	_, err := front.Start(front.Options{Admin: "nowhere"})
	require.ErrorContains(t, err, `admin page on "nowhere"`)
}
