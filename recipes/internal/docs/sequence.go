package docs

// sequenceDigits is the length of the number that the server appends to the
// name of a sequential znode, sign included (String.format("%010d") in
// ZooKeeper's PrepRequestProcessor). Large negative counters take one
// character more.
const sequenceDigits = 10

// Sequence returns the number that the server appended to name, whose prefix
// ends in marker. ok is false for every other name: a foreign child of the
// directory is nobody's ticket.
func Sequence(name, marker string) (n int32, ok bool) {
	at := len(name) - sequenceDigits
	if at >= len(marker) && name[at-len(marker):at] == marker {
		return parseSequence(name[at:])
	}
	if at--; at >= len(marker) && name[at] == '-' && name[at-len(marker):at] == marker {
		return parseSequence(name[at:])
	}
	return 0, false
}

// parseSequence reads a signed decimal number of 32 bits without allocating.
func parseSequence(digits string) (int32, bool) {
	i, negative := 0, false
	if digits[0] == '-' {
		i, negative = 1, true
	}
	var v int64
	for ; i < len(digits); i++ {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if negative {
		v = -v
	}
	if v != int64(int32(v)) {
		return 0, false
	}
	return int32(v), true
}

// Before reports whether ticket number a was drawn before b. The counter is a
// signed int of 32 bits, so the sign of the wrapped difference decides (serial
// number arithmetic, RFC 1982): the order survives a wrap of the counter as
// long as the tickets alive lie within 2^31 of one another.
func Before(a, b int32) bool { return a-b < 0 }

// Predecessor finds, in an unsorted list of children, the ticket next in line
// before number seq; pred is empty if there is none. found reports whether
// own, the ticket with number seq itself, is in the list.
func Predecessor(names []string, marker, own string, seq int32) (pred string, found bool) {
	var closest int32
	for _, name := range names {
		n, ok := Sequence(name, marker)
		switch {
		case !ok:
		case n == seq:
			found = found || name == own
		case Before(n, seq) && (pred == "" || Before(closest, n)):
			pred, closest = name, n
		}
	}
	return pred, found
}
