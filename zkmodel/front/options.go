package front

import (
	"errors"
	"fmt"
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// Options are the settings of a [Front]. The zero value is one server on a
// free port of 127.0.0.1.
type Options struct {
	// Listen is the address of the port, as "127.0.0.1:2181". Port 0 asks for
	// a free one. Default "127.0.0.1:0".
	Listen string

	// Admin is the address of the admin page, a loopback one; port 0 asks for a
	// free port. Empty: there is no such page.
	Admin string

	// Servers is the size of the ensemble, at most 7, each server on a port of
	// its own: those behind that of Listen, or any if that is 0. Default 1: a
	// server that stands alone.
	Servers int

	// Lag is how long a message takes from one server to another. Default 0.
	Lag time.Duration

	// Server are the settings of the server, or of each.
	Server zkmodel.ServerOptions

	// Rules is the script of faults.
	Rules []Rule

	// FrameLimit is jute.maxbuffer: how long a client's frame may be, in bytes.
	// Default [wire.DefaultMaxFrame].
	FrameLimit int

	// MaxConns is how many connections may be open; more are closed at once.
	// Default 4096.
	MaxConns int

	// MaxQueue is how many bytes may wait for a client that does not read, not
	// counting the frame that passes the bound; the connection is then closed.
	// A client's own requests wait from a quarter of that on. Default 8 MiB.
	MaxQueue int

	// ConnectTimeout is how long a connection may take to bring its connect
	// request. Default 10 s (zookeeper.nio.sessionlessCnxnTimeout).
	ConnectTimeout time.Duration

	_ struct{}
}

// maxServers is the largest ensemble.
const maxServers = zkmodel.MaxPeers

// The defaults of Options.
const (
	defaultListen         = "127.0.0.1:0"
	defaultMaxConns       = 4096
	defaultMaxQueue       = 8 << 20
	defaultConnectTimeout = 10 * time.Second
	defaultTick           = 2 * time.Second
)

// withDefaults is o with what was left out; it reports what makes no sense.
func (o Options) withDefaults() (Options, error) {
	if o.Listen == "" {
		o.Listen = defaultListen
	}
	for _, n := range []struct {
		name  string
		value *int
		def   int
	}{
		{"FrameLimit", &o.FrameLimit, wire.DefaultMaxFrame},
		{"MaxConns", &o.MaxConns, defaultMaxConns},
		{"MaxQueue", &o.MaxQueue, defaultMaxQueue},
	} {
		if *n.value < 0 {
			return o, fmt.Errorf("%s: %d; allowed: a positive number, or 0 for %d", n.name, *n.value, n.def)
		}
		if *n.value == 0 {
			*n.value = n.def
		}
	}
	if o.Servers < 0 || o.Servers > maxServers {
		return o, fmt.Errorf("%d servers; allowed: 1 to %d", o.Servers, maxServers)
	}
	if o.Servers == 0 {
		o.Servers = 1
	}
	if o.ConnectTimeout < 0 || o.Lag < 0 || o.Server.Tick < 0 {
		return o, errors.New("a time is negative; allowed: positive ones, or 0 for the default")
	}
	if o.Server.Tick == 0 {
		o.Server.Tick = defaultTick
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = defaultConnectTimeout
	}
	return o, nil
}
