package sim

import "encoding/binary"

// Hash is a 64-bit hash that grows with what is written into it. The zero
// Hash is ready. It is no cryptographic hash; it tells traces and states
// apart.
type Hash struct{ sum uint64 }

const (
	hashMul1 = 0x9E3779B97F4A7C15
	hashMul2 = 0xD6E8FEB86659FD93
)

// Uint64 writes a number.
func (h *Hash) Uint64(x uint64) {
	s := (h.sum ^ x) * hashMul1
	h.sum = (s ^ s>>32) * hashMul2
}

// String writes a string and its length.
func (h *Hash) String(s string) {
	h.Uint64(uint64(len(s)) ^ hashMul2)
	for len(s) >= 8 {
		h.Uint64(binary.LittleEndian.Uint64([]byte(s[:8])))
		s = s[8:]
	}
	if len(s) > 0 {
		var x uint64
		for i := 0; i < len(s); i++ {
			x = x<<8 | uint64(s[i])
		}
		h.Uint64(x)
	}
}

// Sum is the hash of what was written so far.
func (h *Hash) Sum() uint64 { return h.sum ^ h.sum>>29 }

// Reset forgets what was written.
func (h *Hash) Reset() { h.sum = 0 }
