package scenarios

import "zoosim/faults"

// FaultClass is the set of fault kinds that a run may contain; promises are
// made per class.
type FaultClass struct {
	Name   string
	Budget faults.Budget
}

// NoFaults is the name of the class without faults.
const NoFaults = "none"

// FaultClasses lists the classes that [Compare] runs: none, and one fault of
// each kind that a standalone server can meet.
func FaultClasses() []FaultClass {
	cs := []FaultClass{{Name: NoFaults}}
	for _, k := range faults.Kinds() {
		if k.OfEnsemble() {
			continue
		}
		c := FaultClass{Name: k.String()}
		c.Budget[k] = 1
		cs = append(cs, c)
	}
	return cs
}

// EnsembleClasses lists the classes of one fault each that only an ensemble can
// meet.
func EnsembleClasses() []FaultClass {
	var cs []FaultClass
	for _, k := range faults.Kinds() {
		if k.OfEnsemble() {
			c := FaultClass{Name: k.String()}
			c.Budget[k] = 1
			cs = append(cs, c)
		}
	}
	return cs
}
