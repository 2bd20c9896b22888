package front

import "fmt"

// State is what the admin page shows.
type State struct {
	Servers  []ServerState  `json:"servers"`
	Sessions []SessionState `json:"sessions"`
	Faults   []FaultState   `json:"faults"`
}

// ServerState is one server.
type ServerState struct {
	Address     string `json:"address"`
	Mode        string `json:"mode"`
	Zxid        string `json:"zxid"` // hexadecimal
	Connections int    `json:"connections"`
	Received    int64  `json:"received"` // packets
	Sent        int64  `json:"sent"`
}

// SessionState is one living session. Number is what rules know it by.
type SessionState struct {
	Number     int      `json:"number"`
	ID         string   `json:"id"` // hexadecimal
	Timeout    string   `json:"timeout"`
	Connected  bool     `json:"connected"`
	CutOff     string   `json:"cutOff,omitempty"` // for how long still
	Ephemerals []string `json:"ephemerals,omitempty"`
}

// FaultState is a rule, how many requests have fitted, and what it did.
type FaultState struct {
	Rule
	Seen   int    `json:"seen"`
	Struck bool   `json:"struck"`
	Effect string `json:"effect,omitempty"`
}

// State says how things stand.
func (f *Front) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	st := State{Servers: []ServerState{}, Sessions: []SessionState{}, Faults: []FaultState{}}
	now := f.now()
	connected := map[int64]bool{}
	for _, c := range f.conns {
		connected[c.session] = connected[c.session] || !c.closed
	}
	for i, p := range f.ports {
		v := f.back.view(i)
		st.Servers = append(st.Servers, ServerState{
			Address: p.listener.Addr().String(), Mode: v.mode, Zxid: fmt.Sprintf("%#x", v.server.LastZxid()),
			Connections: len(p.connected()), Received: p.stats.received, Sent: p.stats.sent,
		})
	}
	for _, s := range f.back.truth().Sessions() {
		x := SessionState{
			Number: f.sessions.numberOf(s.ID), ID: fmt.Sprintf("%#x", s.ID), Timeout: s.Timeout.String(),
			Connected: connected[s.ID], Ephemerals: s.Ephemerals,
		}
		if left := f.sessions.cutTill(s.ID) - now; left > 0 {
			x.CutOff = left.String()
		}
		st.Sessions = append(st.Sessions, x)
	}
	for _, r := range f.script.rules {
		st.Faults = append(st.Faults, *r)
	}
	return st
}
