package zkmodel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Section 3: "Path rules (PathUtils): starts with '/', no trailing '/', no
// empty/"."/".." component ("..." , "a..b", ".x" fine), no char U+0000-001F,
// 007F-009F, D800-F8FF (so all non-BMP chars and private use fail), FFF0-FFFF.
// U+00A0, U+FEFF OK."
func TestValidPath(t *testing.T) {
	good := []string{
		"/", "/a", "/a/b", "/...", "/a..b", "/.x", "/x.", "/a/..x", "/a b", "/a~b", "/_c_-lock-0000000001",
		"/é", "/\u00a0", "/\ufeff", "/\uf900", "/\uffef", "/longer name with \u4e2d\u6587",
	}
	bad := []string{
		"", "a", "a/b", "//", "/a/", "/a//b", "//a", "/.", "/..", "/a/.", "/a/..", "/./a", "/a/../b",
		"/\x00", "/a\x01", "/a\x1f", "/\x7f", "/\u0080", "/\u009f", "/\ue000", "/\uf8ff", "/\ufff0", "/\ufffd", "/\uffff",
		"/\U0001f600", "/\U0010ffff", "/a\xff", "/12345678\x01", "/1234567\x7f", "/1234567\x1f8",
	}
	for _, path := range good {
		require.True(t, validPath(path), "%q", path)
	}
	for _, path := range bad {
		require.False(t, validPath(path), "%q", path)
	}
}

func TestPlainASCII(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.ByteRange(0x20, 0x7e), 0, 40).Draw(t, "plain")
		require.True(t, plainASCII(string(b)))
		if len(b) == 0 {
			return
		}
		odd := rapid.OneOf(rapid.ByteRange(0, 0x1f), rapid.ByteRange(0x7f, 0xff)).Draw(t, "odd")
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = odd
		require.False(t, plainASCII(string(b)))
	})
}

// Hashes are the same in every run, differ for what differs, and see every
// byte.
func TestHashPath(t *testing.T) {
	seen := map[uint64]string{}
	for _, base := range []string{"/", "/lock-", "/locks/a/_c_0f0e0d0c-lock-"} {
		for n := range int32(2000) {
			path := appendSequence(base, n)
			h := hashPath(path)
			require.Empty(t, seen[h], path)
			seen[h] = path
		}
	}
	for n := range 40 {
		s := strings.Repeat("a", n)
		require.Equal(t, hashPath(s), hashPath(strings.Clone(s)))
		require.NotEqual(t, hashPath(s), hashPath(s+"a"))
		require.NotEqual(t, hashBytes([]byte(s)), hashBytes([]byte(s+"a")))
		for i := range n {
			other := s[:i] + "b" + s[i+1:]
			require.NotEqual(t, hashPath(s), hashPath(other))
			require.NotEqual(t, hashBytes([]byte(s)), hashBytes([]byte(other)))
		}
	}
	require.NotEqual(t, hashBytes(nil), hashBytes([]byte{}))
	require.Equal(t, uint64(0x931ad9f86b5d0315), hashPath("/zookeeper"), "listing order rests on it")
}

// A table that is filled and emptied at random finds what it holds.
func TestPathTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table pathTable
		table.reset()
		hash := func(slot int32) uint64 { return uint64(slot%5) << 32 } // few homes, long runs
		held := map[int32]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				slot := rapid.Int32Range(0, 15).Draw(t, "slot")
				if !held[slot] {
					table.insert(hash(slot)+27<<32, slot)
					held[slot] = true
				}
			},
			"remove": func(t *rapid.T) {
				slot := rapid.Int32Range(0, 15).Draw(t, "slot")
				if held[slot] {
					table.remove(hash(slot)+27<<32, slot)
					delete(held, slot)
				}
			},
			"": func(t *rapid.T) {
				found := map[int32]bool{}
				for slot := range int32(16) {
					for i := table.home(hash(slot) + 27<<32); table.slots[i] != 0; i = (i + 1) & table.mask {
						if int32(uint32(table.slots[i]))-1 == slot {
							found[slot] = true
						}
					}
				}
				require.Equal(t, held, found)
			},
		})
	})
}
