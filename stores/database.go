package stores

import "time"

// Database is one row of a database: the owner, the end of its lease, and a
// version that each claim raises. It is durable and there is one of it. The
// statements are
//
//	UPDATE locks SET owner = :owner, until = now() + :lease, version = version + 1
//	  WHERE name = 'lock' AND until <= now() RETURNING version
//	UPDATE locks SET until = now() + :lease
//	  WHERE name = 'lock' AND owner = :owner AND until > now() RETURNING version
//	UPDATE locks SET until = now() WHERE name = 'lock' AND owner = :owner AND until > now()
//
// each a transaction of its own; Clear is the last one without its owner. The
// zero value is a row whose lease is over.
type Database struct {
	row     entry
	version int64
}

var _ Machine = (*Database)(nil)

// Handle implements [Machine]. The token is the row's version.
func (d *Database) Handle(now time.Duration, r Request) Answer {
	row, done := d.row.change(now, r)
	if !done {
		return Answer{}
	}
	d.row = row
	switch r.Op {
	case Claim:
		d.version++
	case Drop, Clear:
		return Answer{Done: true}
	}
	return Answer{Done: true, Token: d.version}
}

// Owner implements [Machine].
func (d *Database) Owner(now time.Duration) string { return d.row.holder(now) }

// End implements [Machine].
func (d *Database) End(now time.Duration) bool {
	had := d.Owner(now) != ""
	d.row = entry{}
	return had
}

// Version is the row's version: the token of the last hold.
func (d *Database) Version() int64 { return d.version }
