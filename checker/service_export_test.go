package checker

// Broken names the guarantees that the first bad event broke.
func (s *Service) Broken() []string {
	var names []string
	for i, name := range guaranteeNames {
		if s.broken&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}
