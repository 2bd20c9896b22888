package reports

// Manifest says what a report folder came from. It is written to
// manifest.json with sorted keys. Nothing in it may differ between two runs
// that must give the same bytes: no path of the machine, no time.
type Manifest struct {
	// Command is the command line, without --out.
	Command string `json:"command"`
	// Commit is the commit of zoosim.
	Commit string `json:"commit"`
	// Scenario names what was run: a family or a scenario file's base name.
	Scenario string `json:"scenario"`
	// Seeds are the seeds, as "1-50".
	Seeds string `json:"seeds"`
	// Versions are those of what the result depends on, as {"go": "1.26.8"}.
	Versions map[string]string `json:"versions"`
}

// table lists the fields, versions in the order of their names.
func (m Manifest) table() table {
	t := table{Head: []string{"manifest", "value"}}
	t.add(plain("command"), plain(m.Command))
	t.add(plain("commit"), plain(m.Commit))
	t.add(plain("scenario"), plain(m.Scenario))
	t.add(plain("seeds"), plain(m.Seeds))
	for _, k := range sortedKeys(m.Versions) {
		t.add(plain("version of "+k), plain(m.Versions[k]))
	}
	return t
}
