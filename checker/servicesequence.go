package checker

import (
	"math"
	"strconv"
)

// serviceSequence judges sequence: the number of a sequential znode is that of
// the children created under its parent before, since the parent itself was
// created. So numbers are unique and grow; failed creates do not count,
// deletes take nothing back, and creates without a number count too. Nothing
// is promised from 2147483647 on, where the count ends.
//
// State: the count of creates under each znode.
type serviceSequence struct{}

// sequenceDigits is the length of a number in a name (Java's "%010d").
const sequenceDigits = 10

func (serviceSequence) observe(g *serviceGround, x *serviceStep) string {
	if !x.e.Sequential {
		return ""
	}
	up := &g.tree.all[x.parent]
	if up.creates == math.MaxInt32 || up.pastEdge {
		return ""
	}
	path := x.e.Path
	number, ok := sequenceNumber(path)
	if ok && number&math.MaxInt32 == up.creates {
		return ""
	}
	got := "without a number of ten digits"
	if ok {
		got = "with the number " + strconv.Itoa(int(number))
	}
	return "the sequential znode " + path + x.by() + " was created at " + seconds(x.e.At) + " " + got + " after " +
		strconv.Itoa(int(up.creates)) + " creates under " + up.path
}

// sequenceNumber is the number at the end of a name, false if there is none. A
// negative one has its sign among the ten characters. Of a raw counter below
// zero the Stat that planted it shows the low 31 bits, so no more is compared.
func sequenceNumber(path string) (int32, bool) {
	if len(path) <= sequenceDigits {
		return 0, false
	}
	digits, sign := path[len(path)-sequenceDigits:], int64(1)
	if digits[0] == '-' {
		digits, sign = digits[1:], -1
	}
	number := int64(0)
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		number = 10*number + int64(digits[i]-'0')
	}
	if number == 0 && sign < 0 {
		return 0, false
	}
	number *= sign
	return int32(number), number == int64(int32(number))
}
