package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// DefaultMaxFrame is how long the payload of a frame may be at the most, in
// bytes, as ZooKeeper's jute.maxbuffer has it by default (0xfffff).
const DefaultMaxFrame = 1<<20 - 1

// ErrMalformed is what every error of decoding wraps.
var ErrMalformed = errors.New("malformed")

// BeginFrame appends room for the length of a frame; its payload follows, and
// [EndFrame] ends it.
func BeginFrame(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// EndFrame fills in the length of the frame that began when dst was start
// bytes long.
func EndFrame(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// CutFrame takes the first frame off b: its payload, and what follows. ok is
// false while b does not hold a whole frame. A length that is negative or
// above limit is an error, as soon as it can be seen. Nothing is copied.
func CutFrame(b []byte, limit int) (payload, rest []byte, ok bool, err error) {
	if len(b) < 4 {
		return nil, b, false, nil
	}
	n := int(int32(binary.BigEndian.Uint32(b)))
	if n < 0 || n > limit {
		return nil, b, false, fmt.Errorf("frame of %d bytes; allowed: 0 to %d: %w", n, limit, ErrMalformed)
	}
	if len(b)-4 < n {
		return nil, b, false, nil
	}
	return b[4 : 4+n], b[4+n:], true, nil
}
