package histfile

import (
	"io"

	"zoosim/checker"
)

// Draw writes the history as a page; see [checker.Draw]. Of the options the
// bound in steps counts.
func Draw(w io.Writer, h *History, o checker.DecideOptions) error {
	return checker.Draw(w, h.Model, h.Operations, checker.DrawOptions{Steps: o.Steps, Text: h.names.replacer().Replace})
}
