package checker

// RunProperties lists what is judged of every family whose clients run
// operations: the properties of a lock that speak of no other client.
func RunProperties() []Property { return []Property{Progress, Deadline, Leak, SpuriousError} }

// runIndices are RunProperties as indices of [LockProperties].
var runIndices = [...]int{progressIndex, deadlineIndex, leakIndex, spuriousIndex}

// RunBits has bit i set when property i of [RunProperties] has failed.
func (l *Lock) RunBits() uint32 {
	bits := uint32(0)
	for i, k := range runIndices {
		bits |= l.failed >> k & 1 << i
	}
	return bits
}

// AppendRunResults appends one result a property, in the order of
// [RunProperties].
func (l *Lock) AppendRunResults(dst []Result, history []Event) []Result {
	for _, k := range runIndices {
		dst = append(dst, l.result(k, history))
	}
	return dst
}
