package checker

import (
	"cmp"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// searchClass is what makes operations of unknown outcome alike.
type searchClass struct {
	kind      OpKind
	in, in2   int64
	key, data string
	accesses  string
}

func classOf(op *Operation) searchClass {
	return searchClass{op.Kind, op.In, op.In2, op.Key, op.Data, strings.Join(accessWords(op.Accesses), "")}
}

// searchInputs is the operations as Porcupine takes them, with the end behind
// those whose outcome is known, and the number of classes among the others.
// They are copies, since a search that ran out of time may still be at its
// last step when its caller goes on.
func searchInputs(ops []Operation) ([]porcupine.Operation, int) {
	own := slices.Clone(ops)
	inputs := make([]searchInput, len(own)+1) // the last is the end
	var unknown []int32
	var end int64
	for i := range own {
		op := &own[i]
		inputs[i].op = op
		end = max(end, op.Call)
		if op.certain() {
			end = max(end, op.Return)
		} else {
			unknown = append(unknown, int32(i))
		}
	}
	slices.SortFunc(unknown, func(a, b int32) int {
		return cmp.Or(cmp.Compare(own[a].Call, own[b].Call), cmp.Compare(a, b))
	})
	index := make(map[searchClass]int32)
	var sizes []int32
	for _, k := range unknown {
		c := classOf(&own[k])
		class, known := index[c]
		if !known {
			class = int32(len(sizes))
			index[c] = class
			sizes = append(sizes, 0)
		}
		inputs[k].class, inputs[k].rank = class, sizes[class]
		sizes[class]++
	}
	list := make([]porcupine.Operation, 0, len(own)+1)
	for i := range own {
		op := &own[i]
		p := porcupine.Operation{ClientId: int(op.Client), Input: &inputs[i], Call: op.Call, Return: op.Return}
		if !op.certain() {
			p.Return = end + 3
		}
		list = append(list, p)
	}
	list = append(list, porcupine.Operation{Input: &inputs[len(own)], Call: end + 1, Return: end + 2})
	return list, len(sizes)
}
