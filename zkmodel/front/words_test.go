package front_test

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/front"
)

// word asks a four-letter word.
func word(t testing.TB, f *front.Front, server int, w string) string {
	c := dialTo(t, f, server)
	c.write([]byte(w))
	b, err := io.ReadAll(c)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	return string(b)
}

// The words as ZooKeeper 3.8.0 answered them, with patterns where it told of
// itself, a port or a time.
func TestWords(t *testing.T) {
	f := start(t, front.Options{})
	a, b := connected(t, f), connected(t, f)
	a.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a", Data: []byte("hello")})
	a.do(zkmodel.Request{Xid: 2, Op: zkmodel.OpCreate, Path: "/a/e", Data: []byte{}, Flags: zkmodel.FlagEphemeral})
	a.do(zkmodel.Request{Xid: 3, Op: zkmodel.OpGetData, Path: "/a", Watch: true})
	a.do(zkmodel.Request{Xid: 4, Op: zkmodel.OpGetChildren, Path: "/a", Watch: true})
	a.do(zkmodel.Request{Xid: 5, Op: zkmodel.OpExists, Path: "/zz", Watch: true})
	b.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpGetData, Path: "/a", Watch: true})
	const (
		head   = `Zookeeper version: 3\.8\.0-\S+, built on \S+ \S+ UTC\n`
		conn   = ` /127\.0\.0\.1:\d+\[1\]\(queued=0,recved=%,sent=%`
		asking = ` /127\.0\.0\.1:\d+\[0\]\(queued=0,recved=1,sent=0\)\n`
		tail   = `,to=30000,lcxid=%,lzxid=0x4,lresp=\d+,llat=\d+,minlat=\d+,avglat=\d+,maxlat=\d+\)\n`
		id     = `0x1[0-9a-f]{14}`
		date   = `[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}:\n`
	)
	count := func(s, n string) string { return strings.ReplaceAll(s, "%", n) }
	for _, c := range []struct{ word, want string }{
		{"ruok", `imok`},
		{"isro", `rw`},
		{"gtmk", `306`},
		{"srvr", head + `Latency min/avg/max: \d+/\d+\.\d+/\d+\nReceived: 12\nSent: 11\nConnections: 3\nOutstanding: 0\nZxid: 0x4\nMode: standalone\nNode count: 7\n`},
		{"stat", head + "Clients:\n" + count(conn, "6") + `\)\n` + count(conn, "2") + `\)\n` + asking +
			`\nLatency min/avg/max: \d+/\d+\.\d+/\d+\nReceived: 13\nSent: 12\nConnections: 3\nOutstanding: 0\nZxid: 0x4\nMode: standalone\nNode count: 7\n`},
		{"cons", count(conn, "6") + `,sid=` + id + `,lop=EXIS,est=\d+` + count(tail, "0x5") +
			count(conn, "2") + `,sid=` + id + `,lop=GETD,est=\d+` + count(tail, "0x1") + asking + `\n`},
		{"wchs", `2 connections watching 2 paths\nTotal watches:3\n`},
		{"wchc", id + `\n\t/a\n\t/zz\n` + id + `\n\t/a\n\n`},
		{"wchp", `/a\n\t` + id + `\n\t` + id + `\n/zz\n\t` + id + `\n\n`},
		{"dump", `SessionTracker dump:\nSession Sets \(\d\)/\(2\):\n(\d expire at ` + date + `(\t` + id + `\n)+)+` +
			`ephemeral nodes dump:\nSessions with Ephemerals \(1\):\n` + id + `:\n\t/a/e\nConnections dump:\n` +
			`Connections Sets \(\d\)/\(3\):\n(\d expire at ` + date + `(\tip: /127\.0\.0\.1:\d+ sessionId: 0x[0-9a-f]+\n)+)+`},
		{"conf", `clientPort=\d+\nsecureClientPort=-1\ndataDir=\ndataDirSize=0\ndataLogDir=\ndataLogSize=0\ntickTime=2000\nmaxClientCnxns=4096\nminSessionTimeout=4000\nmaxSessionTimeout=40000\nclientPortListenBacklog=-1\nserverId=0\n`},
		{"envi", `Environment:\nzookeeper\.version=3\.8\.0-\S+, built on \S+ \S+ UTC\nhost\.name=localhost\nos\.name=\w+\nos\.arch=\w+\n`},
		{"mntr", `zk_version\t3\.8\.0-\S+, built on \S+ \S+ UTC\nzk_server_state\tstandalone\nzk_ephemerals_count\t1\n` +
			`zk_num_alive_connections\t3\nzk_avg_latency\t\d+\.\d+\nzk_outstanding_requests\t0\nzk_znode_count\t7\nzk_global_sessions\t2\n` +
			`zk_packets_sent\t\d+\nzk_packets_received\t\d+\nzk_watch_count\t4\nzk_min_latency\t\d+\nzk_approximate_data_size\t55\n` +
			`zk_local_sessions\t0\nzk_uptime\t\d+\nzk_max_latency\t\d+\n`},
		{"dirs", `datadir_size: 0\nlogdir_size: 0\n`},
		{"srst", `Server stats reset\.\n`},
		{"crst", `Connection stats reset\.\n`},
		{"nope", ``},
	} {
		require.Regexp(t, regexp.MustCompile(`\A(?:`+c.want+`)\z`), word(t, f, 0, c.word), c.word)
	}
}
