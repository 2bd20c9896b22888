package conform

import (
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zoosim/zkmodel"
)

// Znode is a child of the root that is there before a script begins, with
// numbers that no script could count up to. The znodes of a list are made by
// the transactions 1, 2, and so on, at time 0.
type Znode struct {
	Path    string // "/q"
	Creates int32  // children ever created: the number of the next sequential one
	Version int32  // of the data
}

// ParseZnode reads a line such as "/q creates=2147483645 version=3".
func ParseZnode(line string) (Znode, error) {
	words := strings.Fields(line)
	if len(words) == 0 || !strings.HasPrefix(words[0], "/") || strings.Count(words[0], "/") != 1 {
		return Znode{}, fmt.Errorf("znode %q: no child of the root", line)
	}
	z := Znode{Path: words[0]}
	for _, w := range words[1:] {
		key, val, _ := strings.Cut(w, "=")
		n, err := strconv.ParseInt(val, 10, 32)
		if err != nil {
			return z, fmt.Errorf("znode %q: %s: %w", line, key, err)
		}
		switch key {
		case "creates":
			z.Creates = int32(n)
		case "version":
			z.Version = int32(n)
		default:
			return z, fmt.Errorf("znode %q: unknown field %q; allowed: creates, version", line, key)
		}
	}
	return z, nil
}

// plantZnodes gives the model the znodes.
func plantZnodes(s *zkmodel.Server, znodes []Znode) {
	for _, z := range znodes {
		s.Plant(z.Path)
		s.SetCreateCount(z.Path, z.Creates)
		s.SetVersion(z.Path, z.Version)
	}
}

// writeSnapshot gives a real server the znodes: a snapshot in the data folder
// from which it has yet to start. The format is that of classes FileSnap and
// DataTree (3.8.0), without the digest at its end, which may be left out.
func writeSnapshot(dataDir string, znodes []Znode) error {
	s := snapshot{}
	s.b = append(s.b, "ZKSN"...)
	s.int(2)   // version
	s.long(-1) // database
	s.int(0)   // sessions
	// The ACLs in use: number 1 lets everybody read.
	s.int(1)
	s.long(1)
	s.int(1)
	s.int(zkmodel.PermRead)
	s.string("world")
	s.string("anyone")
	last := int64(len(znodes))
	s.znode("", statPersisted{acl: openACL, pzxid: last, cversion: int32(last)})
	s.znode("/zookeeper", statPersisted{acl: openACL})
	s.znode("/zookeeper/quota", statPersisted{acl: openACL})
	s.znode("/zookeeper/config", statPersisted{acl: 1, aversion: -1})
	for i, z := range znodes {
		zxid := int64(i + 1)
		s.znode(z.Path, statPersisted{
			acl: openACL, czxid: zxid, mzxid: zxid, pzxid: zxid, version: z.Version, cversion: z.Creates,
		})
	}
	s.string("/") // the end of the tree
	s.long(int64(adler32.Checksum(s.b)))
	s.string("/")
	dir := filepath.Join(dataDir, "version-2")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("snapshot.%x", last)), s.b, 0o644)
}

// openACL is the number of the ACL that allows everything to everybody.
const openACL = -1

// statPersisted is what a snapshot holds of a znode without data.
type statPersisted struct {
	acl, czxid, mzxid, pzxid    int64
	version, cversion, aversion int32
}

// snapshot is a jute archive that is being written.
type snapshot struct{ b []byte }

func (s *snapshot) int(n int32)  { s.b = binary.BigEndian.AppendUint32(s.b, uint32(n)) }
func (s *snapshot) long(n int64) { s.b = binary.BigEndian.AppendUint64(s.b, uint64(n)) }

func (s *snapshot) string(t string) {
	s.int(int32(len(t)))
	s.b = append(s.b, t...)
}

func (s *snapshot) znode(path string, st statPersisted) {
	s.string(path)
	s.int(0) // data
	s.long(st.acl)
	s.long(st.czxid)
	s.long(st.mzxid)
	s.long(0) // ctime
	s.long(0) // mtime
	s.int(st.version)
	s.int(st.cversion)
	s.int(st.aversion)
	s.long(0) // ephemeralOwner
	s.long(st.pzxid)
}
