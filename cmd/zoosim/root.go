package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"zoosim/reports"
)

// app is what the commands share.
type app struct {
	stdout, stderr io.Writer
	json           bool
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "zoosim",
		Short: "A laboratory for ZooKeeper recipes",
		Long: `zoosim runs ZooKeeper recipes (locks, semaphores, queues, groups, elections,
caches) on a simulated ZooKeeper with a virtual clock, injects crashes, partitions, pauses and expiries, and judges and
measures every run. The same seed gives the same run, to the last byte.`,
		Args:          cobra.ArbitraryArgs,
		RunE:          a.rootRun,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCmd())
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().BoolVar(&a.json, "json", false, "write one JSON object to standard output and nothing else")
	root.AddCommand(a.listCmd(), a.runCmd(), a.checkCmd(), a.compareCmd(), a.sweepCmd(), a.replayCmd(), a.zooCmd(), a.historyCmd(), a.liveCmd(), a.serveCmd())
	return root
}

// printJSON writes the one object of --json.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// progress returns a callback that shows progress on a terminal and is silent
// elsewhere, and a function that ends it.
func (a *app) progress(what string) (tell func(done, total int), end func()) {
	f, ok := a.stderr.(*os.File)
	if !ok || !isTerminal(f) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	tell = func(done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
				progressbar.OptionClearOnFinish())
		}
		_ = bar.Set(done)
	}
	return tell, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// manifest says what a report folder was made with.
func manifest(command, scenario, seeds string) reports.Manifest {
	m := reports.Manifest{
		Commit: "unknown", Command: command, Scenario: scenario, Seeds: seeds, Versions: map[string]string{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	m.Versions["go"] = info.GoVersion
	for _, d := range info.Deps {
		if strings.Contains(d.Path, "porcupine") || strings.Contains(d.Path, "gonum") {
			m.Versions[d.Path] = d.Version
		}
	}
	modified := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			m.Commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	if m.Commit != "unknown" {
		m.Commit += modified
	}
	return m
}

// makeDir makes the report folder.
func makeDir(dir string, sub ...string) error {
	if dir == "" {
		return errors.New("--out: no name; allowed: that of a folder")
	}
	for _, s := range append([]string{""}, sub...) {
		if err := os.MkdirAll(dir+"/"+s, 0o755); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}
