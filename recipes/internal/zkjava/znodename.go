package zkjava

import (
	"cmp"
	"strconv"
	"strings"
)

// ZNodeName is a name, or a path, split at its last "-" into a prefix and a
// number. The sign of a negative number is lost to the prefix
// (ZOOKEEPER-4372).
type ZNodeName struct {
	Name     string
	prefix   string
	number   int32
	numbered bool // the part behind the last "-" is a number
}

// ParseZNodeName splits a name.
func ParseZNodeName(name string) ZNodeName {
	n := ZNodeName{Name: name, prefix: name}
	if at := strings.LastIndexByte(name, '-'); at >= 0 {
		n.prefix = name[:at]
		v, err := strconv.ParseInt(name[at+1:], 10, 32)
		n.number, n.numbered = int32(v), err == nil
	}
	return n
}

// Compare orders names by number, then by prefix; names without a number come
// last. A bare name and the path of the same znode differ in their prefixes,
// the path coming first.
func (n ZNodeName) Compare(other ZNodeName) int {
	switch {
	case n.numbered && other.numbered:
		if c := cmp.Compare(n.number, other.number); c != 0 {
			return c
		}
	case n.numbered:
		return -1
	case other.numbered:
		return 1
	}
	return strings.Compare(n.prefix, other.prefix)
}
