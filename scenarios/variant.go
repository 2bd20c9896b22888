package scenarios

import (
	"slices"

	"zoosim/checker"
	"zoosim/recipes/zk"
)

// Variant is a recipe of any family as a scenario sees it.
type Variant struct {
	zk.Recipe
	// Timed and Try say which ways of acquiring it has besides blocking;
	// NeverBlocks that it has no blocking one.
	Timed, Try, NeverBlocks bool
	// Tokens, FIFO, MaxFanOut, StopsAtDisconnect and Reentrant are promises,
	// as in [lock.Variant].
	Tokens, FIFO, StopsAtDisconnect, Reentrant bool
	MaxFanOut                                  int
	// ClosesClient is true if the end of an operation also closes the client's
	// session.
	ClosesClient bool
	// NoFinally is as in [lock.Variant].
	NoFinally bool
	// AtMostOnce is true for a queue that says that a take may lose its item.
	AtMostOnce bool
	// Priorities is true for a queue that serves by priority.
	Priorities bool

	// Locks is true for a queue whose consumers lock an item and delete it when
	// it is dealt with.
	Locks bool

	itemDir, lockDir string // of a queue, below its directory

	views       checker.ViewFamilyConfig // of a group or a cache
	eventThread bool                     // its code runs on its client's event thread

	family *family
	actor  func() actor
}

// Family is the name of the variant's family.
func (v *Variant) Family() string { return v.family.name }

// Properties lists what runs of the variant's family are judged by, in the
// order of the results; the service, which is judged in every run, comes last.
func (v *Variant) Properties() []checker.Property {
	return append(slices.Clone(v.family.properties), checker.ServiceGuarantees)
}

// Families lists the names of the families.
func Families() []string {
	var names []string
	for _, f := range families() {
		names = append(names, f.name)
	}
	return names
}

// Variants lists the variants of a family, in a fixed order; "" stands for
// all families.
func Variants(family string) []Variant {
	var all []Variant
	for _, f := range families() {
		if family == "" || f.name == family {
			all = append(all, f.variants()...)
		}
	}
	return all
}

// ByName returns the variant with the given name, or the ablation.
func ByName(name string) (Variant, bool) {
	for _, f := range families() {
		if f.name != familyName(name) {
			continue
		}
		for _, list := range []func() []Variant{f.variants, f.ablations} {
			if list == nil {
				continue
			}
			for _, v := range list() {
				if v.Name == name {
					return v, true
				}
			}
		}
	}
	return Variant{}, false
}
