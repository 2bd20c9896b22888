package zkmodel

import "time"

// WatchPolicy says what a client library does with registered watchers when
// the connection or the session ends.
type WatchPolicy uint8

// The watch policies.
const (
	// WatchesReset (Java, Curator): watches are set again after a reconnect
	// (setWatches). Every session event reaches the listeners and every
	// registered watcher once, and consumes none, except that an expired or
	// closed handle takes its watches with it. Source: ZooKeeper 3.8.0,
	// ZKWatchManager.materialize; measured.
	WatchesReset WatchPolicy = iota
	// WatchesResetClose (go-zookeeper): watches are set again after a
	// reconnect; Connecting and Connected do not reach watchers; at expiry
	// and at close every watcher is called once and forgotten. Source:
	// go-zookeeper 1.0.4, Conn.invalidateWatches.
	WatchesResetClose
	// WatchesDrop (Kazoo): at every loss of the connection every watcher is
	// called once and forgotten; setWatches is never sent. A client that is
	// being closed calls no watcher any more. Source: Kazoo 2.8.0,
	// KazooClient._reset_watchers, ConnectionHandler._read_watch_event.
	WatchesDrop
)

// PingPolicy says when a connected client sends a ping. Times are those of a
// session with negotiated timeout t; the read timeout is 2t/3.
type PingPolicy uint8

// The ping policies.
const (
	// PingJava: the send thread sleeps until t/3 after the last send and then
	// pings. When a frame from the server wakes it more than 1 s after the
	// last send, the ping falls due 1 s earlier, which may be at once; at once
	// too when the last send was over 10 s ago. Source: ZooKeeper 3.8.0,
	// ClientCnxn.SendThread.run (timeToNextPing, MAX_SEND_PING_INTERVAL).
	PingJava PingPolicy = iota
	// PingGo: every t/3 from the connect response on, whatever else is sent.
	// Source: go-zookeeper 1.0.4, Conn.sendLoop.
	PingGo
	// PingKazoo: t/3 after the last frame in either direction. Kazoo takes up
	// to 0.4 s off by chance, which is left out here. Source: Kazoo 2.8.0,
	// ConnectionHandler._connect_attempt.
	PingKazoo
)

// DownPolicy says what becomes of a request that is submitted while there is
// no connection. In every policy it is sent once a connect attempt succeeds,
// and ends with SessionExpired if the session turns out to be over.
type DownPolicy uint8

// The policies for requests without a connection.
const (
	// DownQueueAttempt (Java, go-zookeeper): it waits for the outcome of the
	// next connect attempt and ends with ConnectionLoss if that fails.
	// Source: ClientCnxn.SendThread.cleanup, measured; go-zookeeper 1.0.4,
	// Conn.flushUnsentRequests.
	DownQueueAttempt DownPolicy = iota
	// DownQueueKeep (Kazoo): it waits over any number of failed attempts.
	// Between the end of a session and the first attempt at a new one it ends
	// with SessionExpired at once. Source: Kazoo 2.8.0, KazooClient._call,
	// _session_callback.
	DownQueueKeep
)

// The session timeouts that clients request by default, and go-zookeeper's
// dial timeout.
const (
	DefaultSessionTimeout Time = 10 * time.Second // Kazoo's default
	CuratorSessionTimeout Time = 60 * time.Second // a server at tickTime 2000 grants 40 s
	goDialTimeout         Time = time.Second
)

// ClientOptions are the ways of a client library. The zero value is a Java
// client that reconnects without a pause and sends setWatches last; see
// [JavaOptions], [CuratorOptions], [GoOptions] and [KazooOptions].
type ClientOptions struct {
	// SessionTimeout is requested of the server; 0 means
	// [DefaultSessionTimeout].
	SessionTimeout Time
	// ConnectTimeout ends a connect attempt whose connect request has not
	// been answered; 0 means SessionTimeout. It counts from the dial.
	ConnectTimeout Time
	// RedialMin and RedialMax bound the pause before each reconnect.
	RedialMin, RedialMax Time
	// Hosts is the number of servers that the client knows and tries in turn;
	// default 1. RoundPause is added to the pause in front of the attempt that
	// begins another round.
	Hosts      int
	RoundPause Time

	// Watches says what becomes of watchers when the connection or the
	// session ends.
	Watches WatchPolicy
	// ResetFirst sends setWatches in front of the requests that waited for
	// the connection (Java), else behind them (go-zookeeper, whose catch-up
	// events then come after those replies).
	ResetFirst bool
	// Ping says when pings are sent.
	Ping PingPolicy
	// Down says what becomes of requests submitted without a connection.
	Down DownPolicy

	// Renew opens a new session after an expiry (Curator, go-zookeeper,
	// Kazoo); else the handle is dead from then on (Java).
	Renew bool
	// RenewPause makes a pause of RedialMin to RedialMax before the first
	// attempt at the new session (go-zookeeper, Kazoo); else it is made at
	// once (Curator, whose new handle dials immediately).
	RenewPause bool
	// CloseQuits ends a close that is submitted in a pause between two
	// connect attempts at once, so that the server keeps the session until it
	// expires (go-zookeeper, Kazoo); else the close goes out if the next
	// attempt succeeds (Java).
	CloseQuits bool
	// MaxReply is how long the frame of a reply may be, in bytes; the client
	// closes the connection on which a longer one comes (jute.maxbuffer of the
	// Java client). 0 sets no limit (go-zookeeper, Kazoo).
	MaxReply int

	_ struct{}
}

// SetHosts makes the options those of a client that knows so many servers. A
// connect attempt of the Java client may take as long as its share of the
// session timeout (ClientCnxn.connectTimeout).
func (o *ClientOptions) SetHosts(n int) {
	o.Hosts = n
	if o.Watches == WatchesReset && n > 1 {
		o.ConnectTimeout = o.SessionTimeout / Time(n)
	}
}

// JavaOptions are the ways of ZooKeeper's Java client 3.8.0 with one server:
// each reconnect costs a random part of a second (SendThread.startConnect), and
// one that begins a new round over the hosts a second more
// (StaticHostProvider.next).
func JavaOptions() ClientOptions {
	return ClientOptions{
		SessionTimeout: DefaultSessionTimeout,
		RedialMax:      time.Second,
		RoundPause:     time.Second,
		Watches:        WatchesReset,
		ResetFirst:     true,
		Ping:           PingJava,
		Down:           DownQueueAttempt,
		MaxReply:       1<<20 - 1,
	}
}

// CuratorOptions are the ways of Curator 5.4: a Java handle of a longer
// session, replaced by a new one after an expiry.
func CuratorOptions() ClientOptions {
	o := JavaOptions()
	o.SessionTimeout = CuratorSessionTimeout
	o.Renew = true
	return o
}

// GoOptions are the ways of go-zookeeper 1.0.4 with one server. Its 1 s
// connect timeout is that of the dial; the connect request itself may take
// far longer there.
func GoOptions() ClientOptions {
	return ClientOptions{
		SessionTimeout: DefaultSessionTimeout,
		ConnectTimeout: goDialTimeout,
		RoundPause:     time.Second,
		Watches:        WatchesResetClose,
		Ping:           PingGo,
		Down:           DownQueueAttempt,
		Renew:          true,
		RenewPause:     true,
		CloseQuits:     true,
	}
}

// KazooOptions are the ways of Kazoo 2.8.0. The pause is that before the
// first reconnect; Kazoo doubles it after each failed attempt, which is left
// out here.
func KazooOptions() ClientOptions {
	return ClientOptions{
		SessionTimeout: DefaultSessionTimeout,
		RedialMin:      60 * time.Millisecond,
		RedialMax:      140 * time.Millisecond,
		Watches:        WatchesDrop,
		Ping:           PingKazoo,
		Down:           DownQueueKeep,
		Renew:          true,
		RenewPause:     true,
		CloseQuits:     true,
	}
}
