package zk

// StatField selects a field of a [Stat].
type StatField uint8

// The fields of a Stat.
const (
	FieldCzxid StatField = iota
	FieldMzxid
	FieldPzxid
	FieldVersion
	FieldCversion
	FieldEphemeralOwner
	FieldDataLength
	FieldNumChildren
	FieldCtime
	FieldMtime
)

// StatReader answers for the fields of the Stats that a binding handed out.
type StatReader interface {
	// StatField returns field f of the Stat with the given handle.
	StatField(handle int32, f StatField) int64
}

// Stat is a handle on the metadata of a znode as one reply gave it. Its
// fields are read through methods, so that a process that looks at none of
// them is known not to depend on them. The zero Stat is that of a missing
// znode: Exists is false and every field is 0.
type Stat struct {
	r      StatReader
	handle int32
}

// NewStat is for bindings: the Stat whose fields r answers for.
func NewStat(r StatReader, handle int32) Stat { return Stat{r: r, handle: handle} }

// Exists reports whether the znode was there.
func (s Stat) Exists() bool { return s.r != nil }

func (s Stat) field(f StatField) int64 {
	if s.r == nil {
		return 0
	}
	return s.r.StatField(s.handle, f)
}

// Czxid is the zxid of the transaction that created the znode.
func (s Stat) Czxid() int64 { return s.field(FieldCzxid) }

// Mzxid is the zxid of the last change of the data.
func (s Stat) Mzxid() int64 { return s.field(FieldMzxid) }

// Pzxid is the zxid of the last creation or deletion of a child.
func (s Stat) Pzxid() int64 { return s.field(FieldPzxid) }

// Version counts the changes of the data.
func (s Stat) Version() int32 { return int32(s.field(FieldVersion)) }

// Cversion counts the creations and deletions of children.
func (s Stat) Cversion() int32 { return int32(s.field(FieldCversion)) }

// EphemeralOwner is the id of the owning session, 0 for a persistent znode.
func (s Stat) EphemeralOwner() int64 { return s.field(FieldEphemeralOwner) }

// DataLength is the length of the data in bytes.
func (s Stat) DataLength() int { return int(s.field(FieldDataLength)) }

// NumChildren counts the children.
func (s Stat) NumChildren() int { return int(s.field(FieldNumChildren)) }

// Ctime is the server's time of creation in milliseconds.
func (s Stat) Ctime() int64 { return s.field(FieldCtime) }

// Mtime is the server's time of the last change of the data in milliseconds.
func (s Stat) Mtime() int64 { return s.field(FieldMtime) }

// StatValues are the fields of a Stat as the wire has them (class Stat), for
// bindings: the types of the bindings' own Stats convert to it.
type StatValues struct {
	Czxid, Mzxid, Ctime, Mtime  int64
	Version, Cversion, Aversion int32
	EphemeralOwner              int64
	DataLength, NumChildren     int32
	Pzxid                       int64
}

// Field returns a field.
func (v *StatValues) Field(f StatField) int64 {
	switch f {
	case FieldCzxid:
		return v.Czxid
	case FieldMzxid:
		return v.Mzxid
	case FieldPzxid:
		return v.Pzxid
	case FieldVersion:
		return int64(v.Version)
	case FieldCversion:
		return int64(v.Cversion)
	case FieldEphemeralOwner:
		return v.EphemeralOwner
	case FieldDataLength:
		return int64(v.DataLength)
	case FieldNumChildren:
		return int64(v.NumChildren)
	case FieldCtime:
		return v.Ctime
	case FieldMtime:
		return v.Mtime
	}
	return 0
}
