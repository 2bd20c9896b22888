package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What is wrong with a command line is said on one line, with what is allowed.

// oneArg is the rule of commands that take one argument, noArgs that of those
// that take none.
func oneArg(cmd *cobra.Command, args []string) error { return takes(1, cmd, args) }

func noArgs(cmd *cobra.Command, args []string) error { return takes(0, cmd, args) }

func takes(n int, cmd *cobra.Command, args []string) error {
	if len(args) == n {
		return nil
	}
	return fmt.Errorf("%s takes %d argument(s), not %d; allowed: %s", cmd.Name(), n, len(args), useOf(cmd))
}

// useOf is a command line in short.
func useOf(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]") + " [flags]"
}

// commandNames lists the commands below cmd.
func commandNames(cmd *cobra.Command) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return strings.Join(names, ", ")
}

// rootRun answers a command line that names no command.
func (a *app) rootRun(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unknown command %q; allowed: %s", args[0], commandNames(cmd))
	case a.json:
		return fmt.Errorf("no command; allowed: %s", commandNames(cmd))
	}
	return cmd.Help()
}

// helpCmd is the help command; an unknown topic is bad input.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("help: unknown command %q; allowed: %s", strings.Join(args, " "), commandNames(root))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var (
		value   *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
		unknown *pflag.NotExistError
	)
	switch {
	case errors.As(err, &value):
		return fmt.Errorf("--%s: %q; allowed: %s", value.GetFlag().Name, value.GetValue(), valuesOf(value.GetFlag()))
	case errors.As(err, &missing):
		return fmt.Errorf("--%s: no value; allowed: %s", missing.GetFlag().Name, valuesOf(missing.GetFlag()))
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if s := unknown.GetSpecifiedShortnames(); s != "" {
			name = "-" + s
		}
		return fmt.Errorf("unknown flag %s; allowed: %s", name, flagNames(cmd))
	}
	return fmt.Errorf("%w; allowed: %s", err, flagNames(cmd))
}

// valuesOf says what a flag takes, as far as its type knows.
func valuesOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0"
	case "duration":
		return "a duration such as 5s"
	case "bool":
		return "true, false"
	}
	return f.Usage
}

// flagNames lists the flags of a command.
func flagNames(cmd *cobra.Command) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return strings.Join(names, ", ")
}
