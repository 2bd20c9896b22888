package cache

import "zoosim/recipes/zk"

// Variants returns every cache variant, in a fixed order.
func Variants() []Variant {
	return []Variant{
		{
			Recipe: recipe("cache/curator-node", "NodeCache", `exists with a watch, then getData with the same watch; at any event and at each new connection again.`),
			Node:   "/x", New: newCuratorNode,
		},
		{
			Recipe: recipe("cache/curator-children", "PathChildrenCache", `List with a watch; getData with a watch of each child that is not known; deleted: forgotten; changed: read.
At each new connection list and read all again.`),
			New: newCuratorChildren,
		},
		{
			Recipe: recipe("cache/curator-tree", "TreeCache", `For each znode getData and a listing with one watch; deleted: it and all below it forgotten.
At each new connection read all again. A znode that came again below is another one.`),
			Deep: true, New: newCuratorTree,
		},
	}
}

func recipe(name, class, algorithm string) zk.Recipe {
	return zk.Recipe{
		Name: name, Source: "Apache Curator 5.4.0, " + class + ", with RetryNTimes(3, 1000)", Algorithm: algorithm,
		Correct: true, Library: zk.LibraryCurator, Interruptible: true, InterruptsRequests: true,
	}
}
