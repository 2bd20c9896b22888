package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zoosim/checker"
	"zoosim/scenarios/histfile"
)

// historyFlags are those of history.
type historyFlags struct {
	model   string
	timeout time.Duration
	steps   uint64
	write   string
	html    string
	// independent is true if values are pairs of an object and a value.
	independent bool
}

func (a *app) historyCmd() *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history FILE --model MODEL",
		Short: "Judge a history recorded elsewhere: is it linearizable?",
		Long: `history reads a history in Jepsen's EDN (FILE.edn) or as JSON lines (FILE.jsonl,
FILE.ndjson; the form that zoosim writes) and decides whether it is
linearizable. Models that take a parameter take it behind a colon, as in
semaphore:3 or cas-register:nil. The forms are described in the documentation
of package scenarios/histfile.`,
		Example: `  zoosim history etcd.edn --model mutex
  zoosim history register.jsonl --model cas-register:nil --json
  zoosim history etcd.edn --model mutex --html etcd.html`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return a.history(cmd.Context(), &f, args[0]) },
	}
	cmd.Flags().StringVar(&f.model, "model", "", "what the operations act on: "+modelNames())
	cmd.Flags().DurationVar(&f.timeout, "timeout", 10*time.Second, "time for the search on each object, 0 for no bound")
	cmd.Flags().Uint64Var(&f.steps, "steps", 5_000_000, "steps of all searches, 0 for no bound")
	cmd.Flags().StringVar(&f.write, "write", "", "write the history to a file too, in the form that its name tells")
	cmd.Flags().BoolVar(&f.independent, "independent", false, "values are [key value], as of jepsen.independent: each key is an object of its own")
	cmd.Flags().StringVar(&f.html, "html", "", "draw the history as a page: clients, operations, the orders that were found")
	return cmd
}

// modelNames lists the models, without parameters.
func modelNames() string {
	var names []string
	for _, m := range checker.Models() {
		base, _, _ := strings.Cut(m.Name(), ":")
		names = append(names, base)
	}
	return strings.Join(names, ", ")
}

// history judges one file.
func (a *app) history(ctx context.Context, f *historyFlags, path string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	read := histfile.Read
	if f.independent {
		read = histfile.ReadIndependent
	}
	h, err := read(path, f.model)
	if err != nil {
		return err
	}
	if f.write != "" {
		if err := writeHistory(f.write, h); err != nil {
			return fmt.Errorf("--write: %w", err)
		}
	}
	if f.html != "" {
		if err := writeWhole(f.html, func(w io.Writer) error { return histfile.Draw(w, h, o) }); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	judged := make(chan histfile.Report, 1)
	go func() { judged <- histfile.Judge(h, o) }()
	var r histfile.Report
	select {
	case r = <-judged:
	case <-ctx.Done():
		return ctx.Err() // a search does not look at the context
	}
	if a.json {
		err = a.printJSON(r)
	} else {
		err = printHistory(a.stdout, &r)
	}
	if err != nil {
		return err
	}
	switch r.Verdict {
	case checker.Pass:
		return nil
	case checker.Failed:
		return statusError(exitFail)
	}
	return statusError(exitUnknown)
}

// options checks the flags before a file is read.
func (f *historyFlags) options() (checker.DecideOptions, error) {
	o := checker.DecideOptions{Time: f.timeout, Steps: int64(min(f.steps, 1<<62))}
	if f.model == "" {
		return o, fmt.Errorf("--model: none given; allowed: %s", modelNames())
	}
	if _, err := histfile.New(f.model, nil); err != nil {
		return o, fmt.Errorf("--model: %w", err)
	}
	if f.timeout < 0 {
		return o, fmt.Errorf("--timeout: %v; allowed: 0s for no bound, or more", f.timeout)
	}
	// To Decide, 0 is its own default and less is no bound.
	if o.Time == 0 {
		o.Time = -1
	}
	if o.Steps == 0 {
		o.Steps = -1
	}
	if f.write != "" {
		if _, err := histfile.FormOf(f.write); err != nil {
			return o, fmt.Errorf("--write: %w", err)
		}
	}
	return o, nil
}

// writeHistory writes the history to a file, in the form that its name tells.
func writeHistory(path string, h *histfile.History) error {
	form, err := histfile.FormOf(path)
	if err != nil {
		return err
	}
	return writeWhole(path, func(w io.Writer) error { return histfile.Write(w, form, h) })
}

// writeWhole writes a file that is there afterwards as a whole or not at all.
func writeWhole(path string, write func(w io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".history-*")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// printHistory is the text form of a report.
func printHistory(w io.Writer, r *histfile.Report) error {
	verdict := map[checker.Verdict]string{
		checker.Pass: "linearizable", checker.Failed: "NOT linearizable", checker.Unknown: "not decided",
	}[r.Verdict]
	_, err := fmt.Fprintf(w, "%s: %d operations, %s: %s, in %dms\n", r.File, r.Operations, r.Model, verdict, r.WallMS)
	if err == nil && r.Why != "" {
		_, err = fmt.Fprintf(w, "  %s\n", r.Why)
	}
	return err
}
