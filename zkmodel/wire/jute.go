package wire

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Jute: integers are big-endian, a boolean is a byte, strings and buffers are
// an int32 length and the bytes, vectors an int32 count and the items; -1
// stands for null.

// null is the length of a null string, buffer or vector.
const null = -1

func appendInt(dst []byte, v int32) []byte  { return binary.BigEndian.AppendUint32(dst, uint32(v)) }
func appendLong(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendString(dst []byte, s string) []byte {
	return append(appendInt(dst, int32(len(s))), s...)
}

// appendJavaString writes a string as a server does, which encodes each UTF-16
// unit by itself: a character beyond U+FFFF becomes two of three bytes (class
// BinaryOutputArchive). Only paths that no znode can have contain any: in the
// reply to a sync, and in an event that setWatches causes.
func appendJavaString(dst []byte, s string) []byte {
	start := len(dst)
	dst = appendInt(dst, 0)
	for _, c := range s {
		if c < 0x10000 {
			dst = utf8.AppendRune(dst, c)
			continue
		}
		high, low := utf16.EncodeRune(c)
		for _, u := range [...]rune{high, low} {
			dst = append(dst, 0xe0|byte(u>>12), 0x80|byte(u>>6)&0xbf, 0x80|byte(u)&0xbf)
		}
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// joinSurrogates makes one character of each two surrogates, as
// appendJavaString writes them, and leaves all other bytes.
func joinSurrogates(p []byte) []byte {
	unit := func(i int) rune {
		if i+3 > len(p) || p[i] != 0xed || p[i+1]&0xe0 != 0xa0 || p[i+2]&0xc0 != 0x80 {
			return -1
		}
		return rune(p[i]&0xf)<<12 | rune(p[i+1]&0x3f)<<6 | rune(p[i+2]&0x3f)
	}
	var out []byte
	for i := 0; i < len(p); {
		if c := utf16.DecodeRune(unit(i), unit(i+3)); c != utf8.RuneError {
			out = utf8.AppendRune(out, c)
			i += 6
			continue
		}
		out = append(out, p[i])
		i++
	}
	return out
}

// appendBuffer writes nil as null.
func appendBuffer(dst, b []byte) []byte {
	if b == nil {
		return appendInt(dst, null)
	}
	return append(appendInt(dst, int32(len(b))), b...)
}

func appendStrings(dst []byte, v []string) []byte {
	dst = appendInt(dst, int32(len(v)))
	for _, s := range v {
		dst = appendString(dst, s)
	}
	return dst
}

// reader takes values off the front of b. Once something did not fit, bad is
// set and every later value is zero.
type reader struct {
	b    []byte
	bad  bool
	java bool // strings are as appendJavaString writes them
}

// take is the next n bytes, not copied.
func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) int() int32 {
	p := r.take(4)
	if p == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(p))
}

func (r *reader) long() int64 {
	p := r.take(8)
	if p == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(p))
}

func (r *reader) bool() bool {
	p := r.take(1)
	return p != nil && p[0] != 0
}

// buffer is nil for null.
func (r *reader) buffer() []byte {
	n := r.int()
	if n == null || r.bad {
		return nil
	}
	p := r.take(int(n))
	if r.bad {
		return nil
	}
	return append(make([]byte, 0, len(p)), p...)
}

// string takes null for "".
func (r *reader) string() string {
	s, _ := r.nullableString()
	return s
}

// path is a string that must not be null.
func (r *reader) path() string {
	s, ok := r.nullableString()
	if !ok {
		r.bad = true
	}
	return s
}

// nullableString reports false for null.
func (r *reader) nullableString() (string, bool) {
	n := r.int()
	if n == null {
		return "", false
	}
	p := r.take(int(n))
	if r.java && !utf8.Valid(p) {
		p = joinSurrogates(p)
	}
	return decodeUTF8(p), !r.bad
}

// decodeUTF8 puts U+FFFD for each longest run of bytes that begins a character
// and does not end it, as Java does (the Unicode Standard, "Substitution of
// Maximal Subparts").
func decodeUTF8(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	out := make([]byte, 0, len(p)+8)
	for len(p) > 0 {
		c, n := utf8.DecodeRune(p)
		if c == utf8.RuneError && n <= 1 {
			n = brokenPrefix(p)
		}
		out = utf8.AppendRune(out, c)
		p = p[n:]
	}
	return string(out)
}

// brokenPrefix is the length of the longest prefix of p, at least 1, that some
// character's bytes begin with; p does not begin with a whole character.
func brokenPrefix(p []byte) int {
	want, low, high := 0, byte(0x80), byte(0xbf)
	switch c := p[0]; {
	case c >= 0xc2 && c <= 0xdf:
		want = 1
	case c >= 0xe0 && c <= 0xef:
		want = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		want = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n <= want && n < len(p) && p[n] >= low && p[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}

// count begins a vector whose items take at least min bytes each. Null and
// negative counts are 0, as in Java, whose loop they never enter.
func (r *reader) count(minBytes int) int {
	n := r.int()
	if n <= 0 {
		return 0
	}
	if int(n) > len(r.b)/minBytes {
		r.bad = true
		return 0
	}
	return int(n)
}

// The fewest bytes of an item of a vector.
const (
	minString = 4
	minACL    = 12
)

// paths is a vector of strings, none of them null; nil if there are none.
func (r *reader) paths() []string {
	n := r.count(minString)
	if n == 0 {
		return nil
	}
	v := make([]string, 0, n)
	for range n {
		v = append(v, r.path())
	}
	return v
}
