package checker

import "strconv"

// explainRegister is the sentence about a value that cannot have been there.
func explainRegister(a *account) string {
	if len(a.heart) != 1 || a.heart[0].Kind != OpRead {
		return ""
	}
	op := &a.heart[0]
	for i := range a.ops {
		w := &a.ops[i]
		if w.Call <= op.Return && (w.Kind == OpWrite && w.In == op.Out || w.Kind == OpCAS && w.In2 == op.Out) {
			return ""
		}
	}
	return name(op.Client) + " read " + number(op.Out) + " at " + a.returned(op) + ", and nobody had written it"
}

// explainElection is the sentence about two leaders of one term, or about a
// leader that it does not have.
func explainElection(a *account) string {
	if len(a.heart) > 2 {
		return ""
	}
	last := &a.heart[len(a.heart)-1]
	when := name(last.Client) + " became leader of term " + number(last.In2) + " at " + a.returned(last)
	if last.Kind == OpRead {
		when = name(last.Client) + " was told at " + a.returned(last) + " that " + number(last.Out) + " leads term " +
			number(last.In2)
	}
	first := &a.heart[0]
	switch {
	case first == last:
		return when + ", and it cannot have led by then"
	case first.Kind == OpLead && last.Kind == OpLead:
		return when + ", and " + name(first.Client) + " had at " + a.returned(first)
	case first.Kind == OpLead:
		return when + ", and " + name(first.Client) + " had become its leader at " + a.returned(first)
	}
	return when + ", and " + name(first.Client) + " was told at " + a.returned(first) + " that " + number(first.Out) + " does"
}

// explainSale is the sentence about a stock that was sold more than once, or
// not sold although it was there.
func explainSale(a *account, stock int64) string {
	sold := int64(0)
	var refusal *Operation
	for i := range a.heart {
		op := &a.heart[i]
		switch {
		case op.Kind != OpBuy:
			return ""
		case op.Out == 1:
			sold += op.In
		case refusal != nil:
			return ""
		default:
			refusal = op
		}
	}
	pieces := strconv.FormatInt(stock, 10)
	if refusal == nil {
		return strconv.FormatInt(sold, 10) + " pieces of a stock of " + pieces + " were sold, the last of them to " +
			name(a.heart[len(a.heart)-1].Client) + " at " + a.returned(&a.heart[len(a.heart)-1])
	}
	if sold > 0 {
		return ""
	}
	return name(refusal.Client) + " was refused " + number(refusal.In) + " at " + a.returned(refusal) + " although " +
		pieces + " pieces were there and too few can have been sold"
}
