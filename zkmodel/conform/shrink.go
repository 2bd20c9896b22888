package conform

import "slices"

// Shrink makes a script smaller while differs says that it still shows a
// difference: steps go, then requests out of batches, then what requests
// need not have. It calls differs at most limit times.
func Shrink(s Script, limit int, differs func(Script) bool) Script {
	try := func(smaller Script) bool {
		if limit <= 0 {
			return false
		}
		limit--
		return differs(smaller)
	}
	for again := true; again && limit > 0; {
		again = false
		for size := len(s) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(s) && limit > 0; {
				if smaller := slices.Delete(slices.Clone(s), at, at+size); try(smaller) {
					s, again = smaller, true
				} else {
					at += size
				}
			}
		}
		for i := range s {
			for j := 0; j < len(s[i].Ops) && limit > 0; {
				smaller := slices.Clone(s)
				smaller[i].Ops = slices.Delete(slices.Clone(s[i].Ops), j, j+1)
				if len(smaller[i].Ops) > 0 && try(smaller) {
					s, again = smaller, true
				} else {
					j++
				}
			}
		}
	}
	return simplify(s, try)
}

// simplify takes away what requests need not have.
func simplify(s Script, try func(Script) bool) Script {
	for i := range s {
		for j := range s[i].Ops {
			for _, change := range []func(o *Op){
				func(o *Op) { o.Request.Multi = nil },
				func(o *Op) { o.Request.Data = nil },
				func(o *Op) { o.Request.ACL = nil },
				func(o *Op) { o.Request.Watch = false },
				func(o *Op) { o.Request.Flags = 0 },
			} {
				smaller := slices.Clone(s)
				smaller[i].Ops = slices.Clone(s[i].Ops)
				change(&smaller[i].Ops[j])
				if smaller[i].Ops[j].String() != s[i].Ops[j].String() && !deadly(&smaller[i].Ops[j]) && try(smaller) {
					s = smaller
				}
			}
			for k := 0; k < len(s[i].Ops[j].Request.Multi); {
				smaller := slices.Clone(s)
				smaller[i].Ops = slices.Clone(s[i].Ops)
				q := &smaller[i].Ops[j].Request
				q.Multi = slices.Delete(slices.Clone(q.Multi), k, k+1)
				if !try(smaller) {
					k++
					continue
				}
				s = smaller
			}
		}
	}
	return s
}
