package histfile

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"zoosim/checker"
)

// Report is the verdict on a history, as zoosim history --json writes it.
type Report struct {
	File       string          `json:"file"` // its last part
	Model      string          `json:"model"`
	Verdict    checker.Verdict `json:"verdict"`
	Operations int             `json:"operations"` // invocations of clients
	Why        string          `json:"why"`        // empty if it passes
	WallMS     int64           `json:"wallMS"`
}

// Judge decides whether the history is linearizable. Sentences tell moments as
// lines of the file, or as numbers of events.
func Judge(h *History, o checker.DecideOptions) Report {
	o.Stamps = true
	start := time.Now()
	decide := func(o checker.DecideOptions) checker.Decision { return checker.Decide(h.Model, h.Operations, o) }
	if h.anonymous {
		decide = h.decideAnonymous
	}
	d := decide(o)
	r := Report{
		Model: h.Model.Name(), Verdict: d.Verdict, Operations: len(h.Operations),
		WallMS: time.Since(start).Milliseconds(),
	}
	if h.File != "" {
		r.File = filepath.Base(h.File)
	}
	if d.Why != "" {
		r.Why = h.sentence(&d)
	}
	return r
}

// clientName is what checker.ClientName makes.
var clientName = regexp.MustCompile(`\b[A-Z][0-9]*\b`)

// sentence is the decision's, with what its letters and moments mean.
func (h *History) sentence(d *checker.Decision) string {
	var notes []string
	if e := d.Evidence; e != nil {
		known := map[string]int32{}
		for i := range h.Operations {
			client := h.Operations[i].Client
			known[checker.ClientName(int(client))] = client
		}
		var clients []int32
		for _, name := range clientName.FindAllString(d.Why, -1) {
			if client, ok := known[name]; ok && !slices.Contains(clients, client) {
				clients = append(clients, client)
			}
		}
		slices.SortFunc(clients, cmp.Compare[int32])
		for _, client := range clients {
			notes = append(notes, checker.ClientName(int(client))+" is process "+strconv.Itoa(int(client)))
		}
		if h.Lines {
			notes = append(notes, "moments are lines")
		} else {
			notes = append(notes, "moments are numbers of events")
		}
	}
	why := h.names.restore(d.Why)
	if d.Object != "" {
		why = "object " + d.Object + ": " + why
	}
	if len(notes) > 0 {
		why += " (" + strings.Join(notes, ", ") + ")"
	}
	return why
}
