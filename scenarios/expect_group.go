package scenarios

import "zoosim/checker"

// groupExpectations are the rows of the groups. group/zkdocs promises all in
// every class: a member that lives is one again however its session ended, and
// what is shown follows the members.
func groupExpectations() []expectedFailure {
	t := expectations{family: "group"}
	add := t.add
	const (
		whyOrder = "the list that the constructor prints may come behind a newer one of the callback"
		whyDeaf  = "seed002:G2, G3: the end of the session, and an error within the callback, end the watch"
		whyName  = "seed002:G1: the name is taken by a former session, or by a create whose reply was lost"
		whyGone  = "participating outlives the session, and nobody joins again"
		whyParts = "the list is put together from a listing and a read of each znode"
	)
	add("seed002", "pause expiry resession cut-request cut-reply cut partition", must, whyDeaf, checker.Stale)
	add("seed002", "none crash restart delay-event interrupt", rare, whyOrder, checker.Stale)
	add("seed002", "restart resession cut-request cut-reply cut interrupt", must, whyName, checker.SpuriousError)
	add("seed002", "pause expiry partition", rare, whyName, checker.SpuriousError)
	add("seed002", "cut-request cut-reply cut interrupt", must, "a join that fails behind its create leaves the znode", checker.Leak)
	add("seed002", "pause expiry partition resession", rare, "a join that fails behind its create leaves the znode", checker.Leak)
	add("seed002", "*", must, "seed002:G6: every member watches the group", checker.FanOut)
	add("kazoo-party", "pause expiry resession partition", must, whyGone, checker.Stale)
	add("kazoo-party", "none crash restart cut-request cut-reply cut delay-event interrupt", rare, whyParts, checker.Stale)
	return t.rows
}
