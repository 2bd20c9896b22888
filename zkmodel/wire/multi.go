package wire

import "zoosim/zkmodel"

// A multi is a list of headers (type, done, err), each with the operation or
// the result that it announces; one with done set ends the list.

func appendMultiHeader(dst []byte, op zkmodel.OpCode, done bool, err zkmodel.Code) []byte {
	return appendInt(appendBool(appendInt(dst, int32(op)), done), int32(err))
}

func appendMultiEnd(dst []byte) []byte {
	return appendMultiHeader(dst, zkmodel.OpError, true, -1)
}

func (r *reader) multiHeader() (op zkmodel.OpCode, done bool, err zkmodel.Code) {
	return zkmodel.OpCode(r.int()), r.bool(), zkmodel.Code(r.int())
}

func appendMulti(dst []byte, ops []zkmodel.MultiOp) []byte {
	for i := range ops {
		o := &ops[i]
		dst = appendMultiHeader(dst, o.Op, false, -1)
		switch o.Op {
		case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
			dst = appendCreate(dst, o.Op, o)
		case zkmodel.OpDelete, zkmodel.OpCheck:
			dst = appendInt(appendString(dst, o.Path), o.Version)
		case zkmodel.OpSetData:
			dst = appendInt(appendBuffer(appendString(dst, o.Path), o.Data), o.Version)
		case zkmodel.OpGetData, zkmodel.OpGetChildren:
			dst = appendBool(appendString(dst, o.Path), false)
		}
	}
	return appendMultiEnd(dst)
}

// multi reads the operations of a multi or a multiRead; which of them may
// stand in which is for the server to say.
func (r *reader) multi() []zkmodel.MultiOp {
	var ops []zkmodel.MultiOp
	for {
		op, done, _ := r.multiHeader()
		if done || r.bad {
			return ops
		}
		o := zkmodel.MultiOp{Op: op}
		switch op {
		case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
			o = r.create(op)
		case zkmodel.OpDelete:
			o.Path, o.Version = r.path(), r.int()
		case zkmodel.OpCheck:
			o.Path, o.Version = r.string(), r.int()
		case zkmodel.OpSetData:
			o.Path, o.Data, o.Version = r.string(), r.buffer(), r.int()
		case zkmodel.OpGetData, zkmodel.OpGetChildren:
			o.Path = r.path()
			r.bool() // a watch, which ZooKeeper ignores here
		default:
			r.bad = true
			return nil
		}
		ops = append(ops, o)
	}
}

func appendMultiResults(dst []byte, results []zkmodel.MultiResult) []byte {
	for i := range results {
		m := &results[i]
		dst = appendMultiHeader(dst, m.Op, false, m.Err)
		switch m.Op {
		case zkmodel.OpCreate:
			dst = appendString(dst, m.Path)
		case zkmodel.OpCreate2:
			dst = appendStat(appendString(dst, m.Path), &m.Stat)
		case zkmodel.OpSetData:
			dst = appendStat(dst, &m.Stat)
		case zkmodel.OpGetData:
			dst = appendStat(appendBuffer(dst, m.Data), &m.Stat)
		case zkmodel.OpGetChildren:
			dst = appendStrings(dst, m.Children)
		case zkmodel.OpError:
			dst = appendInt(dst, int32(m.Err))
		}
	}
	return appendMultiEnd(dst)
}

func (r *reader) multiResults() []zkmodel.MultiResult {
	var results []zkmodel.MultiResult
	for {
		op, done, err := r.multiHeader()
		if done || r.bad {
			return results
		}
		m := zkmodel.MultiResult{Op: op, Err: err}
		switch op {
		case zkmodel.OpCreate:
			m.Path = r.path()
		case zkmodel.OpCreate2:
			m.Path = r.path()
			r.stat(&m.Stat)
		case zkmodel.OpSetData:
			r.stat(&m.Stat)
		case zkmodel.OpGetData:
			m.Data = r.buffer()
			r.stat(&m.Stat)
		case zkmodel.OpGetChildren:
			m.Children = r.paths()
		case zkmodel.OpDelete, zkmodel.OpCheck:
		case zkmodel.OpError:
			if zkmodel.Code(r.int()) != err {
				r.bad = true
			}
		default:
			r.bad = true
		}
		results = append(results, m)
	}
}
