package simzk

// fifo is a queue that keeps its memory.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) push(x T) *T {
	f.items = append(f.items, x)
	return &f.items[len(f.items)-1]
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) front() *T { return &f.items[f.head] }

func (f *fifo[T]) pop() {
	f.head++
	if f.head == len(f.items) {
		f.reset()
	}
}

func (f *fifo[T]) reset() { f.items, f.head = f.items[:0], 0 }
