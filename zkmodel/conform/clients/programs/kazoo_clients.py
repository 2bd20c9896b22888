"""Runs Kazoo's recipes with two clients against the server that the first
argument names, and prints what came of it, the same on every run."""

import logging
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException
from kazoo.retry import KazooRetry
from kazoo.security import make_digest_acl

SHORT = 0.4
LONG = 20.0

logging.disable(logging.CRITICAL)
address = sys.argv[1]
section = ""


def say(what):
    print("%s: %s" % (section, what), flush=True)


def connect(**options):
    c = KazooClient(address, timeout=20.0, **options)
    c.start(timeout=LONG)
    return c


def outcome(f, *args, **kwargs):
    """What a call returns, or the name of what it raises."""
    try:
        return f(*args, **kwargs)
    except KazooException as e:
        return type(e).__name__


class Task(threading.Thread):
    """A thread with a result."""

    def __init__(self, f, *args):
        super().__init__(daemon=True)
        self.f, self.args, self.value = f, args, None
        self.start()

    def run(self):
        self.value = self.f(*self.args)

    def result(self):
        self.join(LONG)
        return "nothing" if self.is_alive() else self.value


class Events:
    """A list that can be waited for."""

    def __init__(self):
        self.changed = threading.Condition()
        self.items = []

    def add(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def next(self, timeout=LONG):
        with self.changed:
            self.changed.wait_for(lambda: self.items, timeout)
            return self.items.pop(0) if self.items else "nothing"


def lock(a, b):
    la, lb = a.Lock("/kazoo/lock", "a"), b.Lock("/kazoo/lock", "b")
    say("a acquires %s" % la.acquire(timeout=LONG))
    say("b tries %s" % lb.acquire(blocking=False))
    say("b tries %s" % outcome(lb.acquire, timeout=SHORT))
    waits = Task(lambda: lb.acquire(timeout=LONG))
    while len(la.contenders()) < 2:
        time.sleep(0.01)
    say("contenders %s" % la.contenders())
    la.release()
    say("b acquires %s" % waits.result())
    lb.release()
    inside, alone = [], []

    def rounds(c):
        for _ in range(5):
            with c.Lock("/kazoo/lock"):
                inside.append(c)
                alone.append(len(inside) == 1)
                inside.pop()

    tasks = [Task(rounds, c) for c in (a, b, a)]
    for t in tasks:
        t.result()
    say("alone in %d of %d rounds" % (sum(alone), len(alone)))
    ra, wb = a.ReadLock("/kazoo/rw", "a"), b.WriteLock("/kazoo/rw", "b")
    say("a reads %s" % ra.acquire(timeout=LONG))
    say("b writes %s" % outcome(wb.acquire, timeout=SHORT))
    ra.release()
    say("b writes %s" % wb.acquire(timeout=LONG))
    wb.release()
    say("left behind %s" % a.get_children("/kazoo/lock"))


def semaphore(a, b):
    sa, sb, sc = (c.Semaphore("/kazoo/semaphore", n, max_leases=2) for c, n in ((a, "a"), (b, "b"), (b, "c")))
    say("a %s b %s" % (sa.acquire(timeout=LONG), sb.acquire(timeout=LONG)))
    say("c %s" % sc.acquire(blocking=False))
    say("c %s" % outcome(sc.acquire, timeout=SHORT))
    say("holders %s" % sorted(sa.lease_holders()))
    sa.release()
    say("c %s" % sc.acquire(timeout=LONG))
    sb.release()
    sc.release()
    say("holders %s" % sa.lease_holders())
    say("other number %s" % outcome(lambda: _value_error(a)))


def _value_error(a):
    try:
        return a.Semaphore("/kazoo/semaphore", "d", max_leases=3).acquire(timeout=LONG)
    except ValueError as e:
        return "ValueError: %s" % e


def election(a, b):
    led = Events()
    go = threading.Event()

    def lead(name):
        led.add(name)
        go.wait(LONG)

    ea, eb = a.Election("/kazoo/election", "a"), b.Election("/kazoo/election", "b")
    ta = Task(lambda: ea.run(lead, "a"))
    say("leads %s" % led.next())
    tb = Task(lambda: eb.run(lead, "b"))
    while len(ea.contenders()) < 2:
        time.sleep(0.01)
    say("contenders %s" % ea.contenders())
    say("and %s" % led.next(SHORT))
    go.set()
    say("leads %s" % led.next())
    ta.result()
    tb.result()
    say("contenders %s" % ea.contenders())


def queue(a, b):
    qa, qb = a.Queue("/kazoo/queue"), b.Queue("/kazoo/queue")
    say("get %s" % qa.get())
    for value, priority in ((b"one", 100), (b"two", 100), (b"first", 1)):
        qa.put(value, priority)
    say("length %d" % len(qb))
    say("get %s" % [qb.get() for _ in range(4)])
    la, lb = a.LockingQueue("/kazoo/locking"), b.LockingQueue("/kazoo/locking")
    la.put_all([b"one", b"two", b"three"])
    say("length %d" % len(lb))
    say("a gets %s b gets %s" % (la.get(timeout=LONG), lb.get(timeout=LONG)))
    say("a holds %s consumes %s" % (la.holds_lock(), la.consume()))
    say("b releases %s" % lb.release())
    say("a gets %s consumes %s" % (la.get(timeout=LONG), la.consume()))
    say("b gets %s consumes %s" % (lb.get(timeout=LONG), lb.consume()))
    say("b gets %s" % lb.get(timeout=SHORT))
    say("length %d" % len(lb))


def barriers(a, b):
    ba, bb = a.Barrier("/kazoo/barrier"), b.Barrier("/kazoo/barrier")
    say("no barrier %s" % ba.wait(SHORT))
    ba.create()
    say("waits %s" % bb.wait(SHORT))
    waits = Task(lambda: bb.wait(LONG))
    time.sleep(SHORT)
    say("removed %s" % ba.remove())
    say("waits %s" % waits.result())
    say("removed %s" % ba.remove())
    inside = Events()
    leave = threading.Event()

    def member(c, name):
        d = c.DoubleBarrier("/kazoo/double", 2, name)
        d.enter()
        inside.add("in")
        leave.wait(LONG)
        d.leave()
        return "left"

    one = Task(member, a, "a")
    say("alone %s" % inside.next(SHORT))
    two = Task(member, b, "b")
    say("both %s %s" % (inside.next(), inside.next()))
    leave.set()
    say("both %s %s" % (one.result(), two.result()))
    say("left behind %s" % a.get_children("/kazoo/double"))


def party(a, b):
    pa, pb = a.Party("/kazoo/party", "a"), b.Party("/kazoo/party", "b")
    pa.join()
    pb.join()
    say("members %s" % sorted(pa))
    pa.leave()
    say("members %s of %d" % (list(pb), len(pb)))
    pb.leave()
    sa, sb = a.ShallowParty("/kazoo/shallow", "a"), b.ShallowParty("/kazoo/shallow", "b")
    sa.join()
    sb.join()
    say("members %s" % sorted(sb))
    sa.leave()
    sb.leave()
    say("members %d" % len(sb))


def watchers(a, b):
    data, children, once = Events(), Events(), Events()
    a.create("/kazoo/watch", b"0")

    @b.DataWatch("/kazoo/watch")
    def data_changed(value, stat):
        data.add("data %s %s" % (value, stat and stat.version))

    @b.ChildrenWatch("/kazoo/watch")
    def children_changed(names):
        children.add("children %s" % sorted(names))

    say(data.next())
    say(children.next())
    for i in (b"1", b"2"):
        a.set("/kazoo/watch", i)
        say(data.next())
    for change, name in ((a.create, "x"), (a.create, "y"), (a.delete, "x"), (a.delete, "y")):
        change("/kazoo/watch/" + name)
        say(children.next())
    a.delete("/kazoo/watch")
    say(data.next())
    a.create("/kazoo/watch", b"3")
    say(data.next())
    b.exists("/kazoo/once", watch=lambda e: once.add("%s %s" % (e.type, e.path)))
    a.create("/kazoo/once")
    a.delete("/kazoo/once")
    say(once.next())
    say(once.next(SHORT))


def nodes(a, b):
    say(a.create("/kazoo/n/e-", b"x", ephemeral=True, sequence=True, makepath=True))
    path, stat = a.create("/kazoo/n/s-", b"xyz", sequence=True, include_data=True)
    say("%s %d %d" % (path, stat.version, stat.data_length))
    say("exists %s" % outcome(a.create, path))
    say("no parent %s" % outcome(a.create, "/none/x"))
    say("bad version %s" % outcome(a.set, path, b"", version=3))
    say("not empty %s" % outcome(a.delete, "/kazoo/n"))
    say("no children %s" % outcome(a.create, "/kazoo/n/e-0000000000/x"))
    say("sync %s" % b.sync("/kazoo/n"))
    names, stat = b.get_children("/kazoo/n", include_data=True)
    say("children %s cversion %d" % (sorted(names), stat.cversion))
    say("no node %s" % outcome(b.get, "/none"))
    t = a.transaction()
    t.create("/kazoo/t", b"1")
    t.check("/kazoo/t", version=0)
    t.set_data("/kazoo/t", b"2")
    t.delete(path)
    say("transaction %s" % [getattr(r, "version", r) for r in t.commit()])
    t = a.transaction()
    t.set_data("/kazoo/t", b"3")
    t.delete("/none")
    t.create("/kazoo/u")
    say("transaction %s" % [type(r).__name__ for r in t.commit()])
    say("data %s" % b.get("/kazoo/t")[0])
    counter = a.Counter("/kazoo/counter")
    counter += 5
    counter -= 2
    say("counter %d" % b.Counter("/kazoo/counter").value)
    a.add_auth("digest", "user:secret")
    acl = make_digest_acl("user", "secret", all=True)
    a.create("/kazoo/acl", b"mine", acl=[acl])
    say("acl %s" % (a.get_acls("/kazoo/acl")[0] == [acl]))
    say("a reads %s b reads %s" % (a.get("/kazoo/acl")[0], outcome(b.get, "/kazoo/acl")))
    a.delete("/kazoo/n", recursive=True)
    say("deleted %s" % (b.exists("/kazoo/n") is None))
    say("version %s" % str(a.server_version()[:2]))
    say("ruok %s" % a.command(b"ruok"))


def expiry(a, b):
    """The session is ended by another connection on it."""
    c = connect(connection_retry=KazooRetry(max_tries=-1, delay=0.1, backoff=1))
    states = Events()
    c.add_listener(lambda s: states.add(str(s)))
    c.create("/kazoo/e", ephemeral=True)
    old = c.client_id
    twin = connect(client_id=old)
    say("same session %s" % (twin.client_id[0] == old[0]))
    twin.stop()
    seen = [states.next() for _ in range(3)]
    say("states %s" % seen)
    say("ephemeral is gone %s" % (a.exists("/kazoo/e") is None))
    say("new session %s" % (c.client_id[0] != old[0]))
    c.stop()


def main():
    global section
    a, b = connect(), connect()
    a.ensure_path("/kazoo")
    for f in (lock, semaphore, election, queue, barriers, party, watchers, nodes, expiry):
        section = f.__name__
        try:
            f(a, b)
        except Exception as e:  # the log says so, and the comparison goes on
            say("failed: %s: %s" % (type(e).__name__, e))
    a.stop()
    b.stop()
    print("end", flush=True)


main()
