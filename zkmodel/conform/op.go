package conform

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"zoosim/zkmodel"
)

// opNames lists the request types by name; what is not here is written as
// "opcode n".
var opNames = []zkmodel.OpCode{
	zkmodel.OpCreate, zkmodel.OpDelete, zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpSetData,
	zkmodel.OpGetACL, zkmodel.OpSetACL, zkmodel.OpGetChildren, zkmodel.OpSync, zkmodel.OpPing,
	zkmodel.OpGetChildren2, zkmodel.OpCheck, zkmodel.OpMulti, zkmodel.OpCreate2, zkmodel.OpReconfig,
	zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpCreateContainer,
	zkmodel.OpDeleteContainer, zkmodel.OpCreateTTL, zkmodel.OpMultiRead, zkmodel.OpAuth,
	zkmodel.OpSetWatches, zkmodel.OpSasl, zkmodel.OpGetEphemerals, zkmodel.OpGetAllChildrenNumber,
	zkmodel.OpSetWatches2, zkmodel.OpAddWatch, zkmodel.OpWhoAmI, zkmodel.OpCloseSession,
	zkmodel.OpCreateSession,
}

// opName is the name of a request type.
func opName(op zkmodel.OpCode) string {
	for _, known := range opNames {
		if known == op {
			return op.String()
		}
	}
	return fmt.Sprintf("opcode-%d", op)
}

func opByName(name string) (zkmodel.OpCode, bool) {
	for _, op := range opNames {
		if op.String() == name {
			return op, true
		}
	}
	if n, ok := strings.CutPrefix(name, "opcode-"); ok {
		v, err := strconv.Atoi(n)
		return zkmodel.OpCode(v), err == nil
	}
	return 0, false
}

// String is the request as a line.
func (o *Op) String() string {
	r := &o.Request
	if o.Bare {
		return "bytes hex=" + hex.EncodeToString(o.Raw)
	}
	line := opName(r.Op)
	switch {
	case o.Raw != nil:
		line += " hex=" + hex.EncodeToString(o.Raw)
	case r.Op == zkmodel.OpMulti || r.Op == zkmodel.OpMultiRead:
		for i := range r.Multi {
			m := &r.Multi[i]
			line += " ; " + opName(m.Op) + showFields(&zkmodel.Request{
				Op: m.Op, Path: m.Path, Data: m.Data, ACL: m.ACL, Flags: m.Flags, Version: m.Version, TTL: m.TTL,
			})
		}
	default:
		line += showFields(r)
	}
	if o.Big > 0 {
		line += fmt.Sprintf(" big=%d", o.Big)
	}
	if o.Xid != 0 {
		line += fmt.Sprintf(" xid=%d", o.Xid)
	}
	return line
}

// word writes a string so that the tokenizer reads it back as one token.
func word(s string) string {
	q := strconv.QuoteToASCII(s)
	if s == "" || q[1:len(q)-1] != s || strings.ContainsAny(s, " ;=,") {
		return q
	}
	return s
}

// isFill says whether data is so long that it is written as its length: all of
// it is the letter x.
func isFill(data []byte) bool {
	return len(data) > 100 && bytes.Count(data, []byte("x")) == len(data)
}

// showFields is the fields that a request of its type has.
func showFields(r *zkmodel.Request) string {
	path, line := " "+word(r.Path), ""
	data := func() {
		switch {
		case isFill(r.Data):
			line += fmt.Sprintf(" fill=%d", len(r.Data))
		case r.Data != nil:
			line += " data=" + word(string(r.Data))
		}
	}
	switch r.Op {
	case zkmodel.OpPing, zkmodel.OpReconfig, zkmodel.OpSasl, zkmodel.OpWhoAmI, zkmodel.OpCloseSession, zkmodel.OpCreateSession:
		path = ""
		if r.Op == zkmodel.OpSasl {
			data()
		}
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		data()
		if r.Flags != 0 {
			line += fmt.Sprintf(" flags=%d", r.Flags)
		}
		if r.ACL != nil {
			line += " acl=" + showACL(r.ACL)
		}
		if r.Op == zkmodel.OpCreateTTL {
			line += fmt.Sprintf(" ttl=%d", r.TTL)
		}
	case zkmodel.OpSetData, zkmodel.OpDelete, zkmodel.OpCheck:
		data()
		if r.Version != -1 {
			line += fmt.Sprintf(" version=%d", r.Version)
		}
	case zkmodel.OpSetACL:
		line += " acl=" + showACL(r.ACL)
		if r.Version != -1 {
			line += fmt.Sprintf(" version=%d", r.Version)
		}
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		if r.Watch {
			line += " watch"
		}
	case zkmodel.OpAddWatch:
		line += fmt.Sprintf(" mode=%d", r.Flags)
	case zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches:
		line += fmt.Sprintf(" type=%d", r.Flags)
	case zkmodel.OpAuth:
		path = ""
		if a := r.Auth; a != nil {
			line = " scheme=" + word(a.Scheme)
			if a.Auth != nil {
				line += " auth=" + word(string(a.Auth))
			}
		}
	case zkmodel.OpSetWatches, zkmodel.OpSetWatches2:
		path = ""
		line = showWatchSet(r.Watches)
	}
	return path + line
}

func showWatchSet(w *zkmodel.WatchSet) string {
	if w == nil {
		w = &zkmodel.WatchSet{}
	}
	line := fmt.Sprintf(" rel=%d", w.RelativeZxid)
	for _, l := range watchLists(w) {
		for _, path := range *l.paths {
			line += " " + l.name + "=" + word(path)
		}
	}
	return line
}

// watchList is one of the lists of a setWatches.
type watchList struct {
	name  string
	paths *[]string
}

func watchLists(w *zkmodel.WatchSet) []watchList {
	return []watchList{
		{"data", &w.Data},
		{"exist", &w.Exist},
		{"child", &w.Child},
		{"persistent", &w.Persistent},
		{"recursive", &w.Recursive},
	}
}

// showACL is an ACL as "31:world:anyone,1:ip:127.0.0.1".
func showACL(list []zkmodel.ACL) string {
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = fmt.Sprintf("%d:%s:%s", a.Perms, a.ID.Scheme, a.ID.ID)
	}
	return strconv.QuoteToASCII(strings.Join(parts, ","))
}

func parseACL(text string) ([]zkmodel.ACL, error) {
	list := []zkmodel.ACL{}
	if text == "" {
		return list, nil
	}
	for _, part := range strings.Split(text, ",") {
		f := strings.SplitN(part, ":", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("acl %q is not perms:scheme:id", part)
		}
		perms, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, fmt.Errorf("acl %q: %w", part, err)
		}
		list = append(list, zkmodel.ACL{Perms: int32(perms), ID: zkmodel.ID{Scheme: f[1], ID: f[2]}})
	}
	return list, nil
}

// ParseOp reads a request as [Op.String] writes it.
func ParseOp(line string) (Op, error) {
	tokens, err := tokenize(line)
	if err != nil {
		return Op{}, fmt.Errorf("%s: %w", line, err)
	}
	if len(tokens) == 0 {
		return Op{}, fmt.Errorf("no request in %q", line)
	}
	if tokens[0].text == "bytes" && len(tokens) == 2 {
		b, err := hex.DecodeString(tokens[1].text)
		return Op{Raw: b, Bare: true}, err
	}
	parts := [][]token{nil}
	for _, t := range tokens {
		if t.text == ";" && t.key == "" && !t.quoted {
			parts = append(parts, nil)
			continue
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], t)
	}
	o, err := parseRequest(parts[0])
	if err != nil {
		return o, fmt.Errorf("%s: %w", line, err)
	}
	for _, p := range parts[1:] {
		sub, err := parseRequest(p)
		if err != nil {
			return o, fmt.Errorf("%s: %w", line, err)
		}
		q := &sub.Request
		o.Request.Multi = append(o.Request.Multi, zkmodel.MultiOp{
			Op: q.Op, Path: q.Path, Data: q.Data, ACL: q.ACL, Flags: q.Flags, Version: q.Version, TTL: q.TTL,
		})
		o.Big, o.Xid = max(o.Big, sub.Big), cmp.Or(sub.Xid, o.Xid)
	}
	return o, nil
}

// token is a word of a line, or a key and its value.
type token struct {
	key, text string
	quoted    bool
}

func tokenize(line string) ([]token, error) {
	var tokens []token
	for {
		line = strings.TrimLeft(line, " ")
		if line == "" {
			return tokens, nil
		}
		var t token
		if i := strings.IndexAny(line, " =\""); i > 0 && line[i] == '=' {
			t.key, line = line[:i], line[i+1:]
		}
		if strings.HasPrefix(line, `"`) {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			if t.text, err = strconv.Unquote(q); err != nil {
				return nil, err
			}
			t.quoted, line = true, line[len(q):]
		} else {
			i := strings.IndexByte(line, ' ')
			if i < 0 {
				i = len(line)
			}
			t.text, line = line[:i], line[i:]
		}
		tokens = append(tokens, t)
	}
}

func parseRequest(tokens []token) (Op, error) {
	if len(tokens) == 0 {
		return Op{}, fmt.Errorf("no request")
	}
	op, ok := opByName(tokens[0].text)
	if !ok {
		return Op{}, fmt.Errorf("unknown request %q", tokens[0].text)
	}
	o := Op{Request: zkmodel.Request{Op: op}}
	r := &o.Request
	switch op {
	case zkmodel.OpSetData, zkmodel.OpDelete, zkmodel.OpCheck, zkmodel.OpSetACL:
		r.Version = -1
	case zkmodel.OpSetWatches, zkmodel.OpSetWatches2:
		r.Watches = &zkmodel.WatchSet{}
	case zkmodel.OpAuth:
		r.Auth = &zkmodel.Auth{}
	}
	for _, t := range tokens[1:] {
		if err := o.setField(t); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *Op) setField(t token) error {
	r := &o.Request
	num, _ := strconv.ParseInt(t.text, 10, 64)
	var err error
	if r.Watches != nil {
		for _, l := range watchLists(r.Watches) {
			if l.name == t.key {
				*l.paths = append(*l.paths, t.text)
				return nil
			}
		}
	}
	switch t.key {
	case "":
		if t.text == "watch" && !t.quoted {
			r.Watch = true
		} else {
			r.Path = t.text
		}
	case "data":
		r.Data = []byte(t.text)
	case "fill":
		r.Data = bytes.Repeat([]byte("x"), max(int(num), 0))
	case "flags", "mode", "type":
		r.Flags = int32(num)
	case "version":
		r.Version = int32(num)
	case "ttl":
		r.TTL = num
	case "acl":
		r.ACL, err = parseACL(t.text)
	case "rel":
		r.Watches.RelativeZxid = num
	case "scheme":
		r.Auth.Scheme = t.text
	case "auth":
		r.Auth.Auth = []byte(t.text)
	case "hex":
		o.Raw, err = hex.DecodeString(t.text)
		if o.Raw == nil {
			o.Raw = []byte{}
		}
	case "big":
		o.Big = int(num)
	case "xid":
		o.Xid = int32(num)
	default:
		return fmt.Errorf("unknown field %q", t.key)
	}
	return err
}
