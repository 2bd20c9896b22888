package checker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"
)

// DrawOptions are the settings of [Draw].
type DrawOptions struct {
	// Steps bounds the search for each object, as in [DecideOptions]; time
	// does not bound it, so that the same history gives the same bytes.
	Steps int64
	// Text turns what the drawing says of an operation or a state into what is
	// shown; nil shows it as it is.
	Text func(string) string
	_    struct{}
}

// The most that a drawing holds of the orders that a search tried, in
// operations, and of the description of a state, in bytes.
const (
	drawnSteps = 200_000
	drawnState = 200
)

// Draw writes an HTML page of the history: Porcupine's visualization, with the
// linearization of each object or, where there is none, the longest beginnings
// that its search found. An object whose search did not end is drawn without.
// Porcupine writes the orders as they come out of a map; here they stand
// longest first and then by their operations, so that the same history always
// gives the same bytes.
func Draw(w io.Writer, m Model, ops []Operation, o DrawOptions) error {
	if why := m.unfit(ops); why != "" {
		return fmt.Errorf("checker: the history cannot be drawn: %s", why)
	}
	parts := m.split(ops)
	d := pageDrawing{o: o, axis: newAxis(parts)}
	page := drawnPage{Partitions: []drawnPart{}, Annotations: []struct{}{}}
	for i := range parts {
		page.Partitions = append(page.Partitions, d.part(&m, &parts[i]))
	}
	data, err := json.Marshal(page)
	if err != nil {
		return err
	}
	before, after, err := drawnFrame()
	if err != nil {
		return err
	}
	for _, b := range [][]byte{before, data, after} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// drawnFrame is Porcupine's page before and behind its data.
func drawnFrame() (before, after []byte, err error) {
	empty := porcupine.Model{
		Init: func() any { return nil },
		Step: func(state, _, _ any) (bool, any) { return true, state },
	}
	var b bytes.Buffer
	if err := porcupine.Visualize(empty, porcupine.LinearizationInfo{}, &b); err != nil {
		return nil, nil, err
	}
	before, after, found := bytes.Cut(b.Bytes(), []byte(`{"Partitions":[],"Annotations":[]}`))
	if !found {
		return nil, nil, errors.New("checker: Porcupine's page has changed: its data are not where they were")
	}
	return before, after, nil
}

// drawnPage is the data of a page as its script reads them.
type drawnPage struct {
	Partitions  []drawnPart
	Annotations []struct{}
}

// drawnPart is the history of one object. Largest says, by operation, in which
// of the orders with the operation that is the longest.
type drawnPart struct {
	History               []drawnOperation
	PartialLinearizations [][]drawnStep
	Largest               map[int]int
}

type drawnOperation struct {
	ClientId              int
	Start                 int
	OriginalStart         string
	End                   int
	OriginalEnd           string
	Description, Metadata string
}

type drawnStep struct {
	Index            int
	StateDescription string
}

// pageDrawing is one page in the making.
type pageDrawing struct {
	o    DrawOptions
	axis axis
}

func (d *pageDrawing) text(s string) string {
	if d.o.Text != nil {
		s = d.o.Text(s)
	}
	return s
}

// state is the description of a state, cut where it is long.
func (d *pageDrawing) state(s string) string {
	if s = d.text(s); len(s) > drawnState {
		s = strings.ToValidUTF8(s[:drawnState], "") + "..."
	}
	return s
}

// part draws the operations on one object.
func (d *pageDrawing) part(m *Model, p *part) drawnPart {
	out := drawnPart{Largest: map[int]int{}, PartialLinearizations: [][]drawnStep{}}
	for i := range p.ops {
		op := &p.ops[i]
		o := drawnOperation{
			ClientId: int(op.Client), Description: d.text(describe(op)), Start: d.axis.place(op.Call),
			OriginalStart: strconv.FormatInt(op.Call, 10), Metadata: op.Object,
		}
		if op.certain() {
			o.End, o.OriginalEnd = d.axis.place(op.Return), strconv.FormatInt(op.Return, 10)
		} else {
			o.Description += " (outcome unknown)"
			o.End, o.OriginalEnd = d.axis.end(), "unknown"
		}
		out.History = append(out.History, o)
	}
	left := drawnSteps
	for _, order := range orders(m, p.ops, (&DecideOptions{Steps: d.o.Steps}).steps()) {
		if left -= len(order); left < 0 {
			break
		}
		at := len(out.PartialLinearizations)
		states := m.engine.states(p.ops, order)
		steps := make([]drawnStep, len(order))
		for i, k := range order {
			steps[i] = drawnStep{int(k), d.state(states[i])}
			if _, known := out.Largest[int(k)]; !known {
				out.Largest[int(k)] = at // they get shorter
			}
		}
		out.PartialLinearizations = append(out.PartialLinearizations, steps)
	}
	return out
}

// orders are the orders that a search for a linearization found, the longest
// first; nil if it did not end.
func orders(m *Model, ops []Operation, steps int64) [][]int32 {
	b := newSearchBudget(steps, len(ops))
	var inputs []porcupine.Operation
	inputs, b.classes = searchInputs(ops)
	_, info := porcupine.CheckOperationsVerbose(m.engine.search(b), inputs, 0)
	if b.over {
		return nil
	}
	var found [][]int32
	for _, partial := range info.PartialLinearizations()[0] {
		order := make([]int32, 0, len(partial))
		for _, k := range partial {
			if k == len(ops) {
				break // the end; behind it nothing takes effect
			}
			order = append(order, int32(k))
		}
		found = append(found, order)
	}
	slices.SortFunc(found, func(a, b []int32) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b))
	})
	return slices.CompactFunc(found, slices.Equal[[]int32])
}

// axis puts moments at distances that a page can show: as in Porcupine's own,
// 100 between one and the next.
type axis []int64

func newAxis(parts []part) axis {
	var a axis
	for i := range parts {
		for k := range parts[i].ops {
			op := &parts[i].ops[k]
			a = append(a, op.Call)
			if op.certain() {
				a = append(a, op.Return)
			}
		}
	}
	slices.Sort(a)
	return append(slices.Compact(a), math.MaxInt64)
}

func (a axis) place(at int64) int {
	i, _ := slices.BinarySearch(a, at)
	return 100 * i
}

// end is behind all moments.
func (a axis) end() int { return 100 * (len(a) - 1) }

// stateText is a state in words.
func stateText(s any) string {
	switch s := s.(type) {
	case int64:
		return number(s)
	case queueState:
		return fmt.Sprint(s.items)
	}
	return fmt.Sprintf("%+v", s)
}
