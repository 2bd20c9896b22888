package scenarios

// Sizes are how many there are of what a scenario is about, as in [Scenario]; 0
// of what its family has none.
type Sizes struct {
	Clients   int `json:"clients"`
	Writers   int `json:"writers,omitempty"`
	Readers   int `json:"readers,omitempty"`
	Producers int `json:"producers,omitempty"`
	Consumers int `json:"consumers,omitempty"`
	Members   int `json:"members,omitempty"`
	Observers int `json:"observers,omitempty"`
	Leases    int `json:"leases,omitempty"`
	Permits   int `json:"permits,omitempty"`
	Stock     int `json:"stock,omitempty"`
}

// sizes are those of a scenario.
func (s *Scenario) sizes() Sizes {
	return Sizes{
		Clients: s.Clients, Writers: s.Writers, Readers: s.Readers, Producers: s.Producers, Consumers: s.Consumers,
		Members: s.Members, Observers: s.Observers, Leases: s.Leases, Permits: s.Permits, Stock: s.Stock,
	}
}

// setSizes takes them over.
func (s *Scenario) setSizes(z Sizes) {
	s.Clients, s.Writers, s.Readers, s.Producers, s.Consumers = z.Clients, z.Writers, z.Readers, z.Producers, z.Consumers
	s.Members, s.Observers, s.Leases, s.Permits, s.Stock = z.Members, z.Observers, z.Leases, z.Permits, z.Stock
}
