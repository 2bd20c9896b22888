// Package zk is all that a recipe sees of the world: a ZooKeeper client
// ([Client]) and an environment of time, tasks and waiting ([Env]).
//
// A recipe is ordinary, blocking Go code: context first, errors that
// errors.Is understands, no channel and no go statement. The same source
// runs on the simulated ZooKeeper (package scenarios/simzk) and on a real
// one. A minimal lock reads:
//
//	func (l *Lock) Acquire(ctx context.Context) error {
//		own, err := l.zk.Create(ctx, l.dir+"/n-", nil, zk.EphemeralSequential)
//		if err != nil {
//			return err
//		}
//		for {
//			names, err := l.zk.Children(ctx, l.dir)
//			if err != nil {
//				return err
//			}
//			pred, first := predecessor(names, own)
//			if first {
//				return nil
//			}
//			gone := l.env.NewLatch()
//			if stat, err := l.zk.ExistsW(ctx, pred, gone); err != nil {
//				return err
//			} else if stat.Exists() {
//				if err := gone.Wait(ctx); err != nil {
//					return err
//				}
//			}
//		}
//	}
//
// # Rules for recipe code
//
// Processes share nothing; the tasks of one process share Go memory and run
// one at a time, switching only at a scheduling point: a request, a wait, a
// sleep, a draw, and [Mutex.Lock] even when it is free. Opening a latch,
// unlocking and notifying are no scheduling points.
//
// Deadlines and cancellation come from [Env.WithTimeout] and
// [Env.WithCancel] alone: the context package's own constructors live on the
// wall clock. They end waits, not requests: a request looks at its context
// before it is sent and then ends by its reply, [ErrConnectionLoss] or
// [ErrSessionExpired]. Context.Done returns nil for every context of an Env;
// ask Context.Err.
//
// The package imports the standard library alone.
package zk
