package scenarios

import "zoosim/checker"

// queueExpectations are the rows of the queues. queue/zkdocs promises
// at-most-once (an item whose delete was applied before its taker crashed or
// lost the reply is gone, and that is not held against it); the two queues with
// locks promise at-least-once; the others promise exactly-once by their words,
// and keep it in none of the classes in which a client or a reply is lost. A put
// of queue/seed002, of which each serves one consumer, is to wake one; the
// libraries' queues, and that of the documentation, have every consumer watch
// the items and promise no more than that none is told twice; queue/kazoo
// watches nothing.
func queueExpectations() []expectedFailure {
	t := expectations{family: "queue"}
	add := t.add
	const (
		whyGone     = "the item is deleted before its taker has it (zkjava:Z3, seed002:Q3)"
		whySilent   = "a delete repeated after a lost reply finds nothing, which is taken for another's doing (curator:C6, C7, kazoo:K2)"
		whyTwice    = "curator:C8: a create repeated after a lost reply makes a second item"
		whyOrder    = "what the repeated create or delete has doubled or lost is out of order"
		whyAgain    = "at least once: an item whose taker has lost its session, or its word that it is done, comes again"
		whyEmpty    = "a listing of which others have taken all is answered with nothing, though more has come meanwhile"
		whyKept     = "kazoo:K3: the listing is kept, and newcomers of higher priority wait"
		whyUnheeded = "nobody watches the locks: what a lost consumer had locked waits for the next change of the items"
	)

	add("zkdocs-ephemeral", "expiry", must, "the text's ephemeral items go with their producer's session", checker.LostItem, checker.Linearizable)
	add("zkdocs-ephemeral", "crash restart pause partition resession cut-request cut-reply cut", rare, "ephemeral items", checker.LostItem, checker.Linearizable)

	add("zkjava seed002", "crash restart resession cut-reply cut interrupt", must, whyGone, checker.LostItem)
	add("seed002", "expiry", must, "seed002:Q1: items are ephemeral and go with their producer", checker.LostItem)
	add("seed002", "pause partition cut-request", rare, "seed002:Q1", checker.LostItem)
	add("zkjava", "pause expiry partition cut-request", rare, whyGone, checker.LostItem)
	add("seed002", "crash restart pause expiry resession partition cut cut-reply cut-request", rare, "seed002:Q1: what comes behind a lost item is taken before it", checker.Linearizable)
	add("seed002", "*", must, "seed002:Q6: every consumer watches the queue, and a put that serves one of them wakes all", checker.FanOut)
	add("seed002", "*", must, "seed002:Q2: the notification comes before the wait; Q5: the waiter's session ends", checker.Progress)

	add("curator-simple curator kazoo", "crash restart", must, "the item is deleted before its taker has it", checker.LostItem)
	add("curator-simple curator", "resession cut-reply cut", must, whySilent, checker.LostItem)
	add("kazoo", "resession cut-reply", must, whySilent, checker.LostItem)
	add("kazoo", "cut pause expiry partition cut-request interrupt", rare, whySilent, checker.LostItem)
	add("curator", "cut-request", must, "the lost listing takes the connection, and a delete's reply, with it", checker.LostItem)
	add("curator", "interrupt pause expiry partition", rare, whySilent, checker.LostItem)
	add("curator-simple", "interrupt", must, "an interrupted delete may have been applied", checker.LostItem)
	add("curator-simple", "pause expiry partition cut-request", rare, whySilent, checker.LostItem)
	add("curator-simple curator", "resession cut-reply cut", must, whyTwice, checker.DuplicateItem)
	add("curator-simple curator", "pause partition expiry cut-request", rare, whyTwice, checker.DuplicateItem)
	add("curator-simple curator", "resession cut-reply cut", rare, whyOrder, checker.FIFO)
	add("curator", "resession cut-reply cut cut-request", must, whyOrder, checker.Linearizable)
	add("curator", "partition interrupt crash restart pause expiry", rare, whyOrder, checker.Linearizable)
	add("curator-simple", "resession cut-reply", must, whyOrder, checker.Linearizable)
	add("curator-simple", "none crash restart pause expiry cut-request cut partition delay-event interrupt", rare, whyEmpty, checker.Linearizable)

	add("curator-locked", "restart expiry resession cut-reply", must, whyAgain, checker.DuplicateItem)
	add("curator-locked", "crash cut pause partition cut-request", rare, whyAgain, checker.DuplicateItem)
	add("curator-locked", "restart resession", must, whyUnheeded, checker.Progress)
	add("curator-locked", "crash pause expiry partition cut cut-reply cut-request", rare, whyUnheeded, checker.Progress)
	add("curator-locked", "cut-reply", must, "a lock whose create reply is lost is found by the repeated create, and left", checker.Leak)
	add("curator-locked", "cut cut-request partition pause resession", rare, "a lock whose create reply is lost is found by the repeated create, and left", checker.Leak)

	add("kazoo", "*", must, whyKept, checker.Priority, checker.Linearizable)
	add("kazoo-locking", "restart pause expiry resession partition", must, whyAgain, checker.DuplicateItem)
	add("kazoo-locking", "crash cut cut-reply cut-request", rare, whyAgain, checker.DuplicateItem)
	add("kazoo-locking", "cut-reply", must, "a lock whose create reply is lost is left: the callback gives up", checker.Leak)
	add("kazoo-locking", "cut cut-request pause expiry resession partition interrupt", rare, "a lock whose create reply is lost is left: the callback gives up", checker.Leak)
	add("kazoo-locking", "pause expiry partition", must, "consume raises NoNode when the lock went with its session", checker.SpuriousError)
	add("kazoo-locking", "cut cut-reply cut-request resession restart", rare, "consume raises NoNode when the lock went with its session, or its transaction was applied and its reply lost", checker.SpuriousError)
	add("kazoo-locking", "cut cut-request expiry resession partition pause cut-reply restart crash", rare,
		"the watches of a suspended client are forgotten and get waits on (deaf to session events)", checker.Progress)
	return t.rows
}
