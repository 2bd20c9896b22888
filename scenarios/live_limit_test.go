package scenarios_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/recipes/queue"
	"zoosim/recipes/zk"
	"zoosim/scenarios/livezk"
	"zoosim/zkmodel/wire"
)

// limitStory is what a client of a queue sees of the limit of a request's
// frame, 1,048,575 bytes with jute.maxbuffer at its default.
type limitStory struct {
	fits, tooLong error
	taken         int // bytes of the item that fitted
	sessions      [2]int64
	left          int // znodes, after the put that was too long
	after         string
	err           error
}

// tellLimit puts the longest item that there can be, takes it, puts one that is
// a byte longer, and goes on with another.
func tellLimit(ctx context.Context, address string) limitStory {
	const dir = "/limit"
	told := make(chan limitStory, 1)
	var meter livezk.Meter
	p := livezk.NewProcess(ctx, &meter, func(any) {})
	p.Start(func(ctx context.Context) {
		var s limitStory
		defer func() { told <- s }()
		v := queue.Variants()[0]
		c := p.Connect(livezk.Options{Address: address, SessionTimeout: 6 * time.Second, Library: v.Library})
		s.sessions[0] = c.SessionID()
		if _, s.err = c.Create(ctx, dir, nil, zk.Persistent); s.err != nil {
			return
		}
		var q queue.Queue
		if q, s.err = v.New(ctx, c, p.Env(), dir); s.err != nil {
			return
		}
		// A create is its header, its path, the data, an ACL of one entry and
		// the flags; each text has its length before it.
		around := 8 + 4 + len(dir+"/queue-") + 4 + 4 + 4 + 4 + len("world") + 4 + len("anyone") + 4
		longest := make([]byte, wire.DefaultMaxFrame-around)
		if s.fits = q.Put(ctx, longest); s.fits == nil {
			var data []byte
			data, s.err = q.Take(ctx)
			s.taken = len(data) - len(longest)
		}
		s.tooLong = q.Put(ctx, append(longest, 0))
		names, err := c.Children(ctx, dir)
		for n := 0; errors.Is(err, zk.ErrConnectionLoss) && n < 20; n++ {
			_ = p.Env().Sleep(ctx, 200*time.Millisecond)
			names, err = c.Children(ctx, dir)
		}
		s.left, s.sessions[1] = len(names), c.SessionID()
		if s.err = errors.Join(s.err, err, q.Put(ctx, []byte("short"))); s.err != nil {
			return
		}
		data, err := q.Take(ctx)
		s.after, s.err = string(data), err
		_ = c.Delete(ctx, dir, zk.AnyVersion)
	})
	defer p.End()
	select {
	case s := <-told:
		return s
	case <-ctx.Done():
		return limitStory{err: ctx.Err()}
	}
}

// requireLimit: a server closes the connection of whoever sends a longer frame,
// without a reply. The put is told of a lost connection, as if it might have
// been applied, and never can be; the session lives, and the queue goes on.
func requireLimit(t *testing.T, address string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s := tellLimit(ctx, address)
	require.NoError(t, s.err)
	require.NoError(t, s.fits)
	require.Zero(t, s.taken, "it came back whole")
	require.ErrorIs(t, s.tooLong, zk.ErrConnectionLoss)
	require.Zero(t, s.left, "nothing was stored")
	require.Equal(t, s.sessions[0], s.sessions[1], "the session lives")
	require.Equal(t, "short", s.after)
}

func TestItemOverTheLimitOnThePort(t *testing.T) { requireLimit(t, served(t)) }

func TestItemOverTheLimitOnTheRealServer(t *testing.T) {
	requireLimit(t, realServer(t))
}
