package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/reports"
	"zoosim/scenarios"
)

// The result of list --json.
type listReport struct {
	Families   []listFamily       `json:"families"`
	Properties []checker.Property `json:"properties"`
	Faults     []string           `json:"faults"`
}

type listFamily struct {
	Name     string        `json:"name"`
	Variants []listVariant `json:"variants"`
}

type listVariant struct {
	Name       string             `json:"name"`
	Source     string             `json:"source"`
	Correct    bool               `json:"correct"`
	Properties []checker.Property `json:"properties"`
	Algorithm  string             `json:"algorithm"`
	Modes      []scenarios.Mode   `json:"modes"`
	// Promises says, a fault class each, what the expectation table names.
	Promises []scenarios.Promise `json:"promises"`
}

func (a *app) listCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List families, variants, properties and fault kinds",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			rep := listReport{Properties: scenarios.AllProperties()}
			for _, k := range faults.Kinds() {
				rep.Faults = append(rep.Faults, k.String())
			}
			for _, name := range scenarios.Families() {
				f := listFamily{Name: name}
				for _, v := range scenarios.Variants(name) {
					f.Variants = append(f.Variants, listVariant{
						v.Name, v.Source, v.Correct, scenarios.Promised(&v), v.Algorithm, scenarios.ModesOf(&v), scenarios.Promises(&v),
					})
				}
				rep.Families = append(rep.Families, f)
			}
			if a.json {
				return a.printJSON(rep)
			}
			return a.printList(&rep)
		},
	}
}

func (a *app) printList(rep *listReport) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, f := range rep.Families {
		fmt.Fprintf(t, "family %s\n", f.Name)
		for _, v := range f.Variants {
			flawed := ""
			if !v.Correct {
				flawed = "flawed"
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\n", v.Name, flawed, v.Source)
		}
	}
	fmt.Fprintf(t, "\nproperties\n")
	for _, p := range rep.Properties {
		fmt.Fprintf(t, "  %s\t%s\n", p, scenarios.LevelOf(p))
	}
	fmt.Fprintf(t, "\nfaults\n")
	for _, k := range rep.Faults {
		fmt.Fprintf(t, "  %s\n", k)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nwhat each variant promises\n")
	var names []string
	var promises [][]scenarios.Promise
	for _, f := range rep.Families {
		for _, v := range f.Variants {
			names, promises = append(names, v.Name), append(promises, v.Promises)
		}
	}
	reports.PromiseText(a.stdout, names, promises)
	return nil
}
