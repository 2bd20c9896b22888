package reports

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"zoosim/scenarios"
)

// LiveText writes what a terminal shows after a run on a real ZooKeeper.
func LiveText(w io.Writer, r *scenarios.LiveReport) {
	fmt.Fprintf(w, "%s on %s, %s: %s ms\n\n", clean(r.Variant), clean(r.Address), count(r.Clients, "client"), num(r.WallMS))
	t := table{Head: []string{"property", "level", "verdict", "why"}}
	for _, v := range r.Verdicts {
		t.add(plain(string(v.Property)), plain(string(v.Level)), plain(verdictWord(v.Verdict)), plain(v.Why))
	}
	t.text(w)
	fmt.Fprintln(w)
	t = table{Head: []string{"counted", "here", "simulated"}}
	names := maps.Clone(r.Metrics.Requests)
	maps.Copy(names, r.Simulated.Requests)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t.add(plain(name), right(fmt.Sprint(r.Metrics.Requests[name])), right(fmt.Sprint(r.Simulated.Requests[name])))
	}
	t.add(plain("notifications"), right(fmt.Sprint(r.Metrics.Notifications)), right(fmt.Sprint(r.Simulated.Notifications)))
	t.text(w)
	if !r.Equal {
		fmt.Fprintln(w, "\nnot the same as in simulation")
	}
}
