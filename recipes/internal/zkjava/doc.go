// Package zkjava holds what ZooKeeper's own Java recipes (zookeeper-recipes
// 3.8) put under the lock: the retry loop and the making of the directory
// (class ProtocolSupport), and the order of znode names (class ZNodeName).
//
// The package imports recipes/zk alone.
package zkjava
