package conform

import "zoosim/zkmodel"

// deadly says whether a request kills the real server: a createTTL whose flags
// are those of no TTL znode passes validation with a negative time to live and
// breaks class EphemeralType when it is applied.
func deadly(o *Op) bool {
	q := &o.Request
	ttl := q.Flags == zkmodel.FlagTTL || q.Flags == zkmodel.FlagTTLSequential
	return q.Op == zkmodel.OpCreateTTL && (o.Raw != nil || !ttl && q.TTL < 0)
}
