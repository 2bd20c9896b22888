package group

import "zoosim/recipes/zk"

// Variants returns every group variant, in a fixed order.
func Variants() []Variant {
	return []Variant{zkDocsVariant(), seed002Variant(), kazooPartyVariant()}
}

func zkDocsVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "group/zkdocs",
			Source: "ZooKeeper documentation, Recipes and Solutions, Group Membership (3.8), with a member that comes again",
			Algorithm: `Join: create <group>/<name>, ephemeral; watch it by exists; of another session: wait until it goes, then again.
While a member: at each event look, and create again what went with its session. Leave: delete, repeated until certain.
Follow: list with a watch, show, wait for any event, again; no group: exists with a watch.`,
			Correct:            true,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Follows: true,
		New:     newZKDocs,
	}
}

func seed002Variant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "group/seed002",
			Source: "seed 002 (ZooKeeper Recipes), class GroupManagement over the plain Java client",
			Algorithm: `Constructor: exists and create of the group; create <group>/<name>_, ephemeral; list with a watch, show.
Callback: at a change of the children list again with a watch, show; an error is printed.
Leave, which the text has not: close. Known faults: G1 to G4, G6.`,
			Library:            zk.LibraryJava,
			SessionTimeout:     seed002Timeout,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Follows: true, JoinFollows: true, LeaveCloses: true, MaxFanOut: 1,
		New: newSeed002,
	}
}

func kazooPartyVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "group/kazoo-party",
			Source: "Kazoo 2.8.0, kazoo.recipe.party.Party",
			Algorithm: `join: create <uuid>__party__ with the identifier as data, ephemeral; NodeExists is success. leave: delete; NoNode is success.
Members: list, then getData of each; NoNode: left out. A KazooRetry around each request. No watch.
Known faults: whose session ended is a member no more and does not join again; the list may be that of no moment.`,
			Library: zk.LibraryKazoo,
		},
		New: newKazooParty,
	}
}
