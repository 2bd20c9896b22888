package checker_test

import (
	"fmt"

	"zoosim/checker"
)

// Two clients take the same item from a queue; a third put is never answered.
func ExampleDecide() {
	queue, err := checker.ModelByName("queue")
	if err != nil {
		panic(err)
	}
	d := checker.Decide(queue, []checker.Operation{
		{Client: 0, Kind: checker.OpEnqueue, In: 7, Call: 1, Return: 2},
		{Client: 0, Kind: checker.OpEnqueue, In: 8, Call: 3, Outcome: checker.OutcomeUnknown},
		{Client: 1, Kind: checker.OpDequeue, Out: 7, Call: 4, Return: 6},
		{Client: 2, Kind: checker.OpDequeue, Out: 7, Call: 5, Return: 8},
	}, checker.DecideOptions{Stamps: true})
	fmt.Println(d.Verdict, "by", d.How)
	fmt.Println(d.Why)
	fmt.Println("operations", d.Evidence.Operations)
	// Output:
	// fail by patterns
	// 7 was put once and taken 2 times: by B at 6, by C at 8
	// operations [2 3]
}

// A consumer removes an item and crashes before it returns it.
func ExampleQueueMonitor() {
	var m checker.QueueMonitor
	m.Reset(checker.QueueConfig{})
	for _, e := range []checker.QueueEvent{
		{Kind: checker.PutInvoke, Client: 0, Item: 7},
		{Kind: checker.ItemStored, Client: 0, Item: 7},
		{Kind: checker.PutReturn, Client: 0, Item: 7},
		{Kind: checker.TakeInvoke, Client: 1},
		{Kind: checker.ItemRemoved, Client: 1, Item: 7},
		{Kind: checker.QueueCrash, Client: 1},
		{Kind: checker.QueueEnd, Client: -1},
	} {
		m.Observe(&e)
	}
	for _, r := range m.Finish() {
		fmt.Println(r.Property, r.Verdict)
	}
	// Output:
	// priority n/a
	// lost fail
	// duplicate pass
}
