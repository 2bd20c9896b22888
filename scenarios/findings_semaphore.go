package scenarios

import "zoosim/checker"

// semaphoreFindings are the known faults of the semaphores.
func semaphoreFindings() []Finding {
	return []Finding{
		{
			"curator:C4", checker.Progress,
			"two leases are taken one by one: two acquires hold one each, and wait for ever",
			with(once("semaphore/curator", ModeBlocking), func(s *Scenario) { s.Permits = 2 }), untouched,
		},
	}
}
