package livezk

import (
	gozk "github.com/go-zookeeper/zk"

	"zoosim/recipes/zk"
)

// replyStat answers for the Stat of a reply.
type replyStat gozk.Stat

func newStat(s *gozk.Stat) zk.Stat { return zk.NewStat((*replyStat)(s), 0) }

// StatField implements [zk.StatReader].
func (s *replyStat) StatField(_ int32, f zk.StatField) int64 { return (*zk.StatValues)(s).Field(f) }

// madeStat answers for the Stat of a znode as it was made. Zxids and times are
// asked for once; they are those of the creation, whatever came of the znode.
type madeStat struct {
	h     *handle
	path  string
	known gozk.Stat
	asked bool
}

// StatField implements [zk.StatReader].
func (s *madeStat) StatField(_ int32, f zk.StatField) int64 {
	switch f {
	case zk.FieldCzxid, zk.FieldMzxid, zk.FieldPzxid, zk.FieldCtime, zk.FieldMtime:
		if !s.asked {
			s.asked = true
			_ = s.h.do(s.h.p.ctx, func() error {
				ok, now, err := s.h.conn.Exists(s.path)
				if ok && err == nil {
					s.known.Czxid, s.known.Mzxid, s.known.Pzxid = now.Czxid, now.Czxid, now.Czxid
					s.known.Ctime, s.known.Mtime = now.Ctime, now.Ctime
				}
				return err
			})
		}
	}
	return (*zk.StatValues)(&s.known).Field(f)
}
