package front

import "zoosim/zkmodel"

// sessionNumbers numbers the sessions in the order in which they were made,
// and knows whose clients are cut off.
type sessionNumbers struct {
	made  int
	byID  map[int64]*numberedSession
	ids   map[int]int64
	check zkmodel.Time
}

type numberedSession struct {
	number  int
	cutTill zkmodel.Time
}

// note gives a session its number, unless it has one.
func (s *sessionNumbers) note(id int64) {
	if s.byID == nil {
		s.byID, s.ids = map[int64]*numberedSession{}, map[int]int64{}
	}
	if s.byID[id] == nil {
		s.made++
		s.byID[id] = &numberedSession{number: s.made}
		s.ids[s.made] = id
	}
}

// numberOf is 0 for a session that is not known.
func (s *sessionNumbers) numberOf(id int64) int {
	if n := s.byID[id]; n != nil {
		return n.number
	}
	return 0
}

func (s *sessionNumbers) id(number int) int64 { return s.ids[number] }

func (s *sessionNumbers) cut(id int64, until zkmodel.Time) {
	if n := s.byID[id]; n != nil {
		n.cutTill = max(n.cutTill, until)
	}
}

// cutTill is until when the client of a session is cut off.
func (s *sessionNumbers) cutTill(id int64) zkmodel.Time {
	if n := s.byID[id]; n != nil {
		return n.cutTill
	}
	return 0
}

// forgetEvery is how often dead sessions are looked for.
const forgetEvery = 5e9

// forgetDead forgets sessions that are over and whose clients are not cut off.
func (s *sessionNumbers) forgetDead(now zkmodel.Time, alive func(int64) bool) {
	if now < s.check {
		return
	}
	s.check = now + forgetEvery
	for id, n := range s.byID {
		if n.cutTill <= now && !alive(id) {
			delete(s.byID, id)
			delete(s.ids, n.number)
		}
	}
}
