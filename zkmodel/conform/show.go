package conform

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// OpenCase is something that the real server leaves open.
type OpenCase struct{ What, Reason string }

// Open lists what is compared as a set, or not at all.
var Open = []OpenCase{
	{"names in replies to getChildren, getChildren2 and in multiRead", "DataNode keeps children in a HashSet"},
	{"events of one step that ends a session or lets time pass", "ephemeral znodes, containers and TTL znodes are deleted in the order of a HashSet"},
	{"paths in replies to getEphemerals", "DataTree keeps the znodes of a session in a HashSet"},
	{"identities in replies to whoAmI", "ServerCnxn keeps them in a hash set"},
	{"entries of an ACL with several digests", "\"auth\" stands for the identities of the connection in the order of a hash set"},
	{"replies to requests behind a closeSession: left out", "they are dropped, or answered SessionExpired"},
	{"events that an expiring session gets of its own znodes: left out", "the server closes the connection while they wait to be written"},
}

// Unasked lists what random scripts do not contain, since the answer of the
// real server depends on how far it has got with an earlier request, or on what
// other scripts did. Golden scripts have it where it can be pinned down.
var Unasked = []OpenCase{
	{"a createTTL with the flags of no TTL znode and a negative time to live", "it kills the server"},
	{"createContainer with the flags of an ephemeral znode", "until it is applied, PrepRequestProcessor takes the container for an ephemeral znode"},
	{"requests behind a setACL in one batch", "until it is applied, PrepRequestProcessor checks the old ACL"},
	{"a multi that cannot be decoded halfway", "until it is answered, the changes of its first operations are seen by later requests"},
	{"auth, SASL and unknown requests in a batch", "their replies pass those of earlier requests"},
	{"reads of \"\", and sequential creates at the root", "the real root is shared by all scripts"},
}

// show takes what has arrived on all connections.
func (r *Runner) show(s *Step) []string {
	unordered := s.Verb == VerbExpire || s.Verb == VerbWait ||
		slices.ContainsFunc(s.Ops, func(o Op) bool { return o.Request.Op == zkmodel.OpCloseSession })
	var lines []string
	for _, c := range r.conns {
		if c.dropped || c.closed {
			r.arm.Take(c.n)
			continue
		}
		payloads, closed := r.arm.Take(c.n)
		payloads, c.early = append(c.early, payloads...), nil
		from := len(lines)
		ended := false // by a closeSession
		for _, p := range payloads {
			if ended {
				continue // see Open
			}
			ended = len(c.sent) > 0 && c.sent[0].op == zkmodel.OpCloseSession && xidOf(p) == uint32(c.sent[0].xid)
			if line := r.showPayload(c, p); line != "" {
				lines = append(lines, c.name+": "+line)
			}
		}
		if unordered {
			sortEvents(lines[from:])
		}
		if closed && s.Verb == VerbExpire {
			lines = slices.DeleteFunc(lines, func(l string) bool { return isEvent(l) && strings.HasPrefix(l, c.name+": ") })
		}
		if closed {
			lines = append(lines, c.name+": closed")
			c.closed, c.sent = true, nil
		}
	}
	return lines
}

func isEvent(line string) bool { return strings.Contains(line, ": event ") }

// sortEvents sorts the events between two replies.
func sortEvents(lines []string) {
	for i := 0; i < len(lines); i++ {
		j := i
		for j < len(lines) && isEvent(lines[j]) {
			j++
		}
		slices.Sort(lines[i:j])
		i = max(i, j-1)
	}
}

func (r *Runner) showPayload(c *runConn, p []byte) string {
	if !c.greeted {
		c.greeted = true
		return r.showConnect(c, p)
	}
	if xidOf(p) == xidEvent {
		return r.showEvent(p)
	}
	if len(c.sent) == 0 {
		return "unexpected " + hex.EncodeToString(p)
	}
	// A check that succeeds has no reply.
	for len(c.sent) > 1 && c.sent[0].op == zkmodel.OpCheck && xidOf(p) != uint32(c.sent[0].xid) {
		c.sent = c.sent[1:]
	}
	sent := c.sent[0]
	c.sent = c.sent[1:]
	if sent.op == zkmodel.OpCreateSession && len(p) >= 36 {
		return "createSession " + r.showConnect(c, p)
	}
	resp, err := wire.DecodeResponse(p, sent.op)
	if err != nil || !bytes.Equal(wire.AppendResponse(nil, &resp), p) {
		return fmt.Sprintf("%s answered by %s", opName(sent.op), hex.EncodeToString(p))
	}
	if sent.xid == 0 && sent.op == zkmodel.OpPing {
		return "" // our own
	}
	z := r.zxid(resp.Zxid)
	if r.noZxid {
		z = "?"
	}
	line := fmt.Sprintf("%s %v z=%s", opName(sent.op), resp.Err, z)
	if sent.op == zkmodel.OpPing {
		sent.xid = -2
	}
	if resp.Xid != sent.xid {
		line += fmt.Sprintf(" xid=%d, not %d", resp.Xid, sent.xid)
	}
	if resp.Err == zkmodel.OK && sent.op == zkmodel.OpCloseSession {
		r.endSession(c.session)
	}
	return line + r.showBody(&resp)
}

func (r *Runner) showConnect(c *runConn, p []byte) string {
	resp, readOnly, err := wire.DecodeConnectResponse(p)
	if err != nil {
		return "connect answered by " + hex.EncodeToString(p)
	}
	line := "refused"
	if resp.SessionID != 0 {
		skipped := int64(0)
		if !slices.Contains(r.ids, resp.SessionID) {
			if n := len(r.ids); n > 0 {
				skipped = resp.SessionID - r.ids[n-1] - 1
			}
			r.ids = append(r.ids, resp.SessionID)
		}
		c.session, c.timeout = resp.SessionID, resp.Timeout
		line = "session " + r.session(resp.SessionID)
		if resp.Password != zkmodel.SessionPassword(resp.SessionID) {
			line += " with another password"
		}
		if skipped != 0 {
			line += fmt.Sprintf(" %d ids behind the one before", skipped+1)
		}
	}
	line += fmt.Sprintf(" timeout=%d", resp.Timeout.Milliseconds())
	if readOnly == c.old {
		line += fmt.Sprintf(" readOnly=%v", readOnly)
	}
	return line
}

func (r *Runner) showEvent(p []byte) string {
	resp, err := wire.DecodeResponse(p, 0)
	if err != nil || !bytes.Equal(wire.AppendResponse(nil, &resp), p) {
		return "event " + hex.EncodeToString(p)
	}
	line := fmt.Sprintf("event %v %s", resp.Event, word(r.short(resp.Path)))
	if resp.Zxid != -1 || resp.Err != zkmodel.OK {
		line += fmt.Sprintf(" z=%s %v", r.zxid(resp.Zxid), resp.Err)
	}
	return line
}

// zxid is a zxid relative to the beginning of the run; 0 and -1, which are
// none, are shown as they are.
func (r *Runner) zxid(z int64) string {
	if z == 0 || z == -1 {
		return strconv.FormatInt(z, 10)
	}
	return fmt.Sprintf("%+d", z-r.base)
}

// session is a session by its place in the order of beginning.
func (r *Runner) session(id int64) string {
	if i := slices.Index(r.ids, id); i >= 0 {
		return fmt.Sprintf("s%d", i+1)
	}
	return fmt.Sprintf("%#x", id)
}

// stat is a Stat, its times checked against those of the other transactions.
func (r *Runner) stat(s *zkmodel.Stat) string {
	line := fmt.Sprintf("c=%s m=%s p=%s v=%d cv=%d av=%d len=%d kids=%d",
		r.zxid(s.Czxid), r.zxid(s.Mzxid), r.zxid(s.Pzxid), s.Version, s.Cversion, s.Aversion, s.DataLength, s.NumChildren)
	if s.EphemeralOwner != 0 {
		line += " owner=" + r.session(s.EphemeralOwner)
	}
	for _, t := range [][2]int64{{s.Czxid, s.Ctime}, {s.Mzxid, s.Mtime}} {
		if known, ok := r.times[t[0]]; ok && known != t[1] {
			line += fmt.Sprintf(" time of %s is not that of the transaction", r.zxid(t[0]))
		}
		r.times[t[0]] = t[1]
	}
	return " {" + line + "}"
}

func showData(b []byte) string {
	switch {
	case b == nil:
		return " null"
	case isFill(b):
		return fmt.Sprintf(" fill=%d", len(b))
	}
	return " " + strconv.QuoteToASCII(string(b))
}

func (r *Runner) names(list []string, paths bool) string {
	shown := make([]string, len(list))
	for i, n := range list {
		if paths {
			n = r.short(n)
		}
		shown[i] = word(n)
	}
	slices.Sort(shown)
	return " [" + strings.Join(shown, " ") + "]"
}

func (r *Runner) showBody(q *zkmodel.Response) string {
	if q.Err != zkmodel.OK {
		if q.Multi != nil {
			return " []"
		}
		return ""
	}
	switch q.Op {
	case zkmodel.OpCreate, zkmodel.OpSync:
		return " " + word(r.short(q.Path))
	case zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		return " " + word(r.short(q.Path)) + r.stat(&q.Stat)
	case zkmodel.OpExists, zkmodel.OpSetData, zkmodel.OpSetACL:
		return r.stat(&q.Stat)
	case zkmodel.OpGetData:
		return showData(q.Data) + r.stat(&q.Stat)
	case zkmodel.OpSasl:
		return showData(q.Data)
	case zkmodel.OpGetACL:
		return " " + sortedACL(q.ACL) + r.stat(&q.Stat)
	case zkmodel.OpWhoAmI:
		list := slices.Clone(q.ACL)
		slices.SortFunc(list, func(a, b zkmodel.ACL) int {
			return strings.Compare(a.ID.Scheme+a.ID.ID, b.ID.Scheme+b.ID.ID)
		})
		return " " + showACL(list)
	case zkmodel.OpGetChildren:
		return r.names(q.Children, false)
	case zkmodel.OpGetEphemerals:
		return r.names(q.Children, true)
	case zkmodel.OpGetChildren2:
		return r.names(q.Children, false) + r.stat(&q.Stat)
	case zkmodel.OpGetAllChildrenNumber:
		return fmt.Sprintf(" %d", q.Count)
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		return r.showMulti(q.Multi)
	}
	return ""
}

// sortedACL shows an ACL, sorted if it has several digests.
func sortedACL(list []zkmodel.ACL) string {
	digests := 0
	for _, a := range list {
		if a.ID.Scheme == "digest" {
			digests++
		}
	}
	if digests > 1 {
		list = slices.Clone(list)
		slices.SortFunc(list, func(a, b zkmodel.ACL) int {
			return strings.Compare(showACL([]zkmodel.ACL{a}), showACL([]zkmodel.ACL{b}))
		})
	}
	return showACL(list)
}

func (r *Runner) showMulti(results []zkmodel.MultiResult) string {
	parts := make([]string, len(results))
	for i := range results {
		m := &results[i]
		text := fmt.Sprintf("%s %v", opName(m.Op), m.Err)
		switch m.Op {
		case zkmodel.OpError:
			text = m.Err.String()
		case zkmodel.OpCreate:
			text += " " + word(r.short(m.Path))
		case zkmodel.OpCreate2:
			text += " " + word(r.short(m.Path)) + r.stat(&m.Stat)
		case zkmodel.OpSetData:
			text += r.stat(&m.Stat)
		case zkmodel.OpGetData:
			text += showData(m.Data) + r.stat(&m.Stat)
		case zkmodel.OpGetChildren:
			text += r.names(m.Children, false)
		}
		parts[i] = text
	}
	return " [" + strings.Join(parts, " ; ") + "]"
}
