package reports

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"zoosim/scenarios"
)

// ZooText writes what a terminal shows after the zoo: each entry with what was
// made of it, then the correct variants.
func ZooText(w io.Writer, r *scenarios.ZooReport) {
	t := zooTable(r, true)
	t.text(w)
	fmt.Fprintf(w, "\n%s\n", zooTitle(r))
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Kind != scenarios.ZooNone && !e.Found {
			fmt.Fprintf(w, "NOT found: %s: %s\n", clean(e.ID), clean(e.Title))
		}
	}
	if len(r.Controls) > 0 {
		fmt.Fprintln(w)
		t := zooControls(r)
		t.text(w)
		fmt.Fprintf(w, "\n%s\n", controlsTitle(r))
	}
	if r.Out != "" && len(r.Entries) > 0 {
		fmt.Fprintf(w, "stories, diagrams and replay files: %s\n", clean(filepath.ToSlash(r.Out)))
	}
	if r.Interrupted {
		fmt.Fprintln(w, "interrupted: this is what was known")
	}
}

// WriteZoo writes the page of a run of the zoo into its folder, which exists:
// zoo.md, without times, and zoo.json.
func WriteZoo(dir string, r *scenarios.ZooReport, m Manifest) error {
	var fs files
	fs.addText("zoo.md", func(w io.Writer) { ZooMarkdown(w, r, m) })
	plain := *r
	plain.Out = here
	plain.Entries = append([]scenarios.ZooEntry(nil), r.Entries...)
	for i := range plain.Entries {
		plain.Entries[i].WallMS = 0
	}
	if err := fs.addJSON("zoo.json", &plain); err != nil {
		return err
	}
	for i := range r.Entries {
		if err := checkReplay(r.Entries[i].ID, r.Entries[i].Replay); err != nil {
			return err
		}
	}
	return fs.write(dir)
}

// ZooMarkdown writes the page of a run of the zoo.
func ZooMarkdown(w io.Writer, r *scenarios.ZooReport, m Manifest) {
	fmt.Fprintf(w, "# The zoo\n\nWritten by `%s`. Each entry is a known fault; the search was given kinds of\nfaults to choose from, and no schedule.\n\n", m.Command)
	t := zooTable(r, false)
	t.markdown(w)
	fmt.Fprintf(w, "\n%s.\n", zooTitle(r))
	for i := range r.Entries {
		if i == 0 {
			fmt.Fprint(w, "\n## What goes wrong\n\n")
		}
		e := &r.Entries[i]
		fmt.Fprintf(w, "- **%s**: %s", markdownText(e.ID), markdownText(clean(e.Title)))
		if e.Why != "" {
			fmt.Fprintf(w, ". *%s*", markdownText(clean(e.Why)))
		}
		fmt.Fprintln(w)
	}
	if len(r.Controls) > 0 {
		fmt.Fprintf(w, "\n## Correct variants\n\n")
		t := zooControls(r)
		t.markdown(w)
		fmt.Fprintf(w, "\n%s.\n", controlsTitle(r))
	}
}

// zooTable has an entry in each row; times are for terminals alone.
func zooTable(r *scenarios.ZooReport, times bool) table {
	t := table{Head: []string{"entry", "kind", "variant", "property", "faults", "found", "runs", "transitions", "steps", "reported"}}
	if times {
		t.Head = append(t.Head, "s")
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		number := func(n int) cell {
			if n == 0 {
				return right("-")
			}
			return right(strconv.Itoa(n))
		}
		found := "yes"
		switch {
		case e.Kind == scenarios.ZooNone:
			found = "-"
		case !e.Found:
			found = "NO"
		}
		orDash := func(s string) cell {
			if s == "" {
				return plain("-")
			}
			return plain(s)
		}
		runs := number(e.Runs)
		if e.States > 0 {
			runs = right(fmt.Sprintf("%d, %d states", e.Runs, e.States))
		}
		row := []cell{
			plain(e.ID), plain(string(e.Kind)), orDash(e.Variant), orDash(string(e.Property)), plain(e.Faults), plain(found),
			runs, number(e.Transitions), number(e.Steps), number(e.ReportSteps),
		}
		if times {
			row = append(row, right(fmt.Sprintf("%.2f", e.WallMS/1000)))
		}
		t.add(row...)
	}
	return t
}

func zooTitle(r *scenarios.ZooReport) string {
	sought, found, small, sized, least := 0, 0, 0, 0, ""
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Kind == scenarios.ZooNone {
			continue
		}
		sought++
		if e.Found {
			found++
			if e.ReportSteps > 0 {
				sized++
				if e.Steps <= e.ReportSteps+3 {
					small++
				} else if e.Steps == e.LeastSteps {
					least += fmt.Sprintf("; there is no run of fewer than %d for %s", e.LeastSteps, clean(e.ID))
				}
			}
		}
	}
	return fmt.Sprintf("%d of %d found; %d of %d that the reports size shrunk to their steps and three or fewer%s", found, sought, small, sized, least)
}

// zooControls has a search of a correct variant in each row.
func zooControls(r *scenarios.ZooReport) table {
	t := table{Head: []string{"correct variant", "clients", "faults", "runs", "states", "complete", "clean", "why"}}
	for i := range r.Controls {
		c := &r.Controls[i]
		number := func(n int) cell {
			if n == 0 {
				return right("-")
			}
			return right(strconv.Itoa(n))
		}
		word := map[bool]string{true: "yes", false: "NO"}
		complete := "-"
		if c.States > 0 {
			complete = word[c.Complete]
		}
		t.add(plain(c.Variant), right(strconv.Itoa(c.Clients)), plain(c.Faults), number(c.Runs), number(c.States), plain(complete), plain(word[c.Clean]), plain(c.Why))
	}
	return t
}

func controlsTitle(r *scenarios.ZooReport) string {
	clean := 0
	for i := range r.Controls {
		if r.Controls[i].Clean {
			clean++
		}
	}
	return fmt.Sprintf("%d of %d searches of correct variants clean", clean, len(r.Controls))
}
