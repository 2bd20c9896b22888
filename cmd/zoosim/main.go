// Command zoosim compares and tests ZooKeeper recipes in a deterministic
// simulation. It holds no logic of its own: flags go in, reports come out.
//
// Exit status: 0 all properties pass (compare: as the expectation table
// says), 1 a property fails (compare: a result differs from the table),
// 2 not decided, 3 bad input.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// The exit statuses.
const (
	exitPass    = 0
	exitFail    = 1
	exitUnknown = 2
	exitInput   = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// statusError carries the exit status of a command that did its work.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run carries out one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var st statusError
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &st):
		return int(st)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "zoosim: interrupted; nothing was decided")
		return exitUnknown
	}
	fmt.Fprintf(stderr, "zoosim: %v\n", err)
	return exitInput
}
