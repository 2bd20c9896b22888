package scenarios

import "sync"

// counter counts finished parts of a long job.
type counter struct {
	mu          sync.Mutex
	done, total int
	tell        func(done, total int)
}

func newCounter(total int, tell func(done, total int)) *counter {
	return &counter{total: total, tell: tell}
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.tell != nil {
		c.tell(c.done, c.total)
	}
}
