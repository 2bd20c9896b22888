package checker

import "strconv"

// saleOf makes the model of a sale from a stock that is never oversold, and
// that refuses a buyer only when it is short of what the buyer wants.
func saleOf(stock int64) Model {
	return Model{
		name: withParam("sale", stock), what: "a sale of " + strconv.FormatInt(stock, 10) + " pieces",
		kinds: kindsOf(OpBuy, OpRead), check: checkPurchase,
		engine: &spec[int64]{
			start: func() int64 { return stock },
			step:  stepSale,
			equal: func(a, b *int64) bool { return *a == *b },
			hash:  func(s *int64) uint64 { return uint64(*s) },
		},
		explain: func(a *account) string { return explainSale(a, stock) },
	}
}

// checkPurchase refuses to buy nothing, and outputs other than yes and no.
func checkPurchase(op *Operation) string {
	switch {
	case op.Kind != OpBuy:
		return ""
	case op.In < 1:
		return "buys " + strconv.FormatInt(op.In, 10) + " pieces, and must buy at least 1"
	case op.Outcome == OutcomeOK && op.Out != 0 && op.Out != 1:
		return "has an output that is neither 1 (sold) nor 0 (refused)"
	}
	return ""
}

func stepSale(s *int64, op *Operation) effect {
	if op.Kind == OpRead {
		if op.certain() && op.Out != *s {
			return refused
		}
		return unchanged
	}
	sells := *s >= op.In
	switch {
	case op.certain() && sells != (op.Out == 1):
		return refused
	case !sells:
		return unchanged
	}
	*s -= op.In
	return changed
}
