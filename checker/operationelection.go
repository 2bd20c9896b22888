package checker

// ElectionOperations is the history of an election as operations of the model
// election: each grant is a leadership of the client, numbered from 1, in the
// term that the grant carries (N). Call and Return are indices of events.
func ElectionOperations(history []Event) []Operation {
	var ops []Operation
	invoked := map[int32]int{} // by client
	for i := range history {
		e := &history[i]
		switch e.Kind {
		case Invoke:
			invoked[e.Client] = i
		case Grant:
			op := Operation{
				Client: e.Client, Kind: OpLead, In: int64(e.Client) + 1, In2: e.N,
				Call: int64(i), Return: int64(i), CallAt: e.At, ReturnAt: e.At,
			}
			if call, ok := invoked[e.Client]; ok {
				op.Call, op.CallAt = int64(call), history[call].At
				delete(invoked, e.Client)
			}
			ops = append(ops, op)
		}
	}
	return ops
}
