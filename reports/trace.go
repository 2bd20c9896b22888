package reports

import (
	"fmt"
	"io"

	"zoosim/scenarios"
)

// TraceText writes the trace of a run, one numbered line an entry with its
// virtual time in seconds.
func TraceText(w io.Writer, lines []scenarios.TraceLine) {
	for i, l := range lines {
		fmt.Fprintf(w, "%4d %11.6fs  %s\n", i+1, l.At.Seconds(), l.Text)
	}
	if len(lines) > 0 {
		fmt.Fprintln(w)
	}
}
