package zkmodel

import (
	"math/bits"
	"strings"
)

// The rules for znode paths, as class PathUtils of ZooKeeper 3.8.0 has them,
// and the hash under which paths are stored.

// validName says whether a path may end in name, the part behind its last
// slash. A server checks it on the final path, the sequence suffix included.
func validName(name string) bool {
	if name == "" || name == "." || name == ".." {
		return false
	}
	if plainASCII(name) {
		return true
	}
	for _, r := range name { // bytes that are no UTF-8 show as U+FFFD, which is not valid
		if !validRune(r) {
			return false
		}
	}
	return true
}

// validRune says whether a path may contain r. Java sees a character beyond
// U+FFFF as two surrogates, so it fails like them.
func validRune(r rune) bool {
	switch {
	case r <= 0x1f, r >= 0x7f && r <= 0x9f:
		return false
	case r >= 0xd800 && r <= 0xf8ff, r >= 0xfff0:
		return false
	}
	return true
}

// validPath says whether path is the path of a possible znode.
func validPath(path string) bool {
	if path == "/" {
		return true
	}
	if path == "" || path[0] != '/' {
		return false
	}
	for rest := path[1:]; ; {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return validName(rest)
		}
		if !validName(rest[:i]) {
			return false
		}
		rest = rest[i+1:]
	}
}

// hasNUL says whether path contains U+0000.
func hasNUL(path string) bool { return strings.IndexByte(path, 0) >= 0 }

// specialPath says whether path is one that no delete may name (class
// DataTree, isSpecialPath).
func specialPath(path string) bool {
	return path == "/" || path == "/zookeeper" || path == "/zookeeper/quota" || path == "/zookeeper/config"
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plainASCII says whether every byte of s is in 0x20..0x7e. Eight bytes are
// looked at together: it runs on the final name of every create.
func plainASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		w := load64(s)
		if (w|(w+lowBits))&highBits != 0 { // a byte above 0x7e
			return false
		}
		if ((w|highBits)-0x20*lowBits)&highBits != highBits { // a byte below 0x20
			return false
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// load64 reads the first eight bytes of s, little end first.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// The odd constants of the hashes below are those of wyhash and splitmix64.
const (
	mulA = 0xa0761d6478bd642f
	mulB = 0xe7037ed1a0b428db
	mulC = 0x8ebc6af09c88c6e3
)

// hashPath is a hash of s: equal on every machine and in every run, since the
// order of listings and the fingerprints of states rest on it.
func hashPath(s string) uint64 {
	h := uint64(len(s))*mulC ^ mulA
	if len(s) < 8 {
		var w uint64
		for i := 0; i < len(s); i++ {
			w = w<<8 | uint64(s[i])
		}
		return mix64(mulFold(h^w, mulB))
	}
	last := load64(s[len(s)-8:])
	for ; len(s) > 8; s = s[8:] {
		h = mulFold(h^load64(s), mulB)
	}
	return mix64(mulFold(h^last, mulC))
}

// hashBytes is hashPath of a znode's data; null differs from empty.
func hashBytes(b []byte) uint64 {
	if b == nil {
		return 0
	}
	h := uint64(len(b))*mulC ^ mulB
	for ; len(b) >= 8; b = b[8:] {
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		h = mulFold(h^w, mulB)
	}
	var w uint64
	for _, c := range b {
		w = w<<8 | uint64(c)
	}
	return mix64(mulFold(h^w, mulC))
}

// mulFold multiplies to 128 bits and folds the halves.
func mulFold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// mix64 is the finalizer of splitmix64, a bijection.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
