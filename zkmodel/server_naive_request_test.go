package zkmodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func (n *naiveServer) multi(now Time, c ConnID, id int64, r *Request) {
	n.zxid++
	for _, op := range r.Multi {
		if !slices.Contains([]OpCode{OpCreate, OpCreate2, OpDelete, OpSetData, OpCheck}, op.Op) {
			n.reply(c, r, MarshallingError, "")
			return
		}
	}
	saved := maps.Clone(n.nodes)
	n.ahead = map[string]int32{}
	defer func() { n.ahead = nil }()
	var results, failed []string
	var changes []naiveChange
	for i, op := range r.Multi {
		ch, code := n.do(now, id, op)
		if code != OK {
			n.nodes = saved
			for j := range r.Multi {
				e := OK
				if j == i {
					e = code
				} else if j > i {
					e = RuntimeInconsistency
				}
				failed = append(failed, fmt.Sprintf("%v %v", OpError, e))
			}
			n.reply(c, r, OK, fmt.Sprint(" ", failed))
			return
		}
		kind := op.Op
		if kind == OpCreate2 {
			kind = OpCreate
		}
		results = append(results, fmt.Sprintf("%v %v%s", kind, OK, n.body(kind, ch)))
		if op.Op != OpCheck {
			changes = append(changes, ch)
		}
	}
	for _, ch := range changes {
		n.fire(ch, id, CauseRequest)
	}
	n.reply(c, r, OK, fmt.Sprint(" ", results))
}

func (n *naiveServer) read(c ConnID, r *Request) {
	z, ok := n.at(r.Path)
	child := r.Op == OpGetChildren || r.Op == OpGetChildren2
	switch {
	case r.Op == OpExists && strings.Contains(r.Path, "\x00"):
		n.reply(c, r, BadArguments, "")
		return
	case !ok:
		if r.Op == OpExists && r.Watch {
			n.watch(naiveWatch{c, false, r.Path})
		}
		n.reply(c, r, NoNode, "")
		return
	}
	if r.Watch {
		n.watch(naiveWatch{c, child, r.Path})
	}
	switch r.Op {
	case OpExists:
		n.reply(c, r, OK, fmt.Sprintf(" %v", n.stat(r.Path)))
	case OpGetData:
		n.reply(c, r, OK, fmt.Sprintf(" %q %v %v", z.data, z.null, n.stat(r.Path)))
	case OpGetChildren:
		n.reply(c, r, OK, fmt.Sprintf(" %v", n.children(r.Path)))
	case OpGetChildren2:
		n.reply(c, r, OK, fmt.Sprintf(" %v %v", n.children(r.Path), n.stat(r.Path)))
	}
}

func (n *naiveServer) setWatches(c ConnID, w *WatchSet) {
	for _, path := range w.Data {
		if z, ok := n.at(path); !ok {
			n.say(c, "%v %s", EventNodeDeleted, path)
		} else if z.mzxid > w.RelativeZxid {
			n.say(c, "%v %s", EventNodeDataChanged, path)
		} else {
			n.watch(naiveWatch{c, false, path})
		}
	}
	for _, path := range w.Exist {
		if _, ok := n.at(path); ok {
			n.say(c, "%v %s", EventNodeCreated, path)
		} else {
			n.watch(naiveWatch{c, false, path})
		}
	}
	for _, path := range w.Child {
		if z, ok := n.at(path); !ok {
			n.say(c, "%v %s", EventNodeDeleted, path)
		} else if z.pzxid > w.RelativeZxid {
			n.say(c, "%v %s", EventNodeChildrenChanged, path)
		} else {
			n.watch(naiveWatch{c, true, path})
		}
	}
}
