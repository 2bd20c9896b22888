import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Runs Curator's recipes with two clients against the server that the first argument names, and
 * prints what came of it, the same on every run.
 */
public class CuratorClients {
  private static final long SHORT_MS = 400;
  private static final long LONG_MS = 20_000;

  private final String address;
  private final CuratorFramework a;
  private final CuratorFramework b;
  private final ExecutorService pool = Executors.newCachedThreadPool();
  private String section = "";

  public static void main(String[] args) throws Exception {
    CuratorClients c = new CuratorClients(args[0]);
    c.run("mutex", c::mutex);
    c.run("readWriteLock", c::readWriteLock);
    c.run("semaphore", c::semaphore);
    c.run("leaderLatch", c::leaderLatch);
    c.run("doubleBarrier", c::doubleBarrier);
    c.run("queue", c::queue);
    c.run("cache", c::cache);
    c.run("transactions", c::transactions);
    c.run("nodes", c::nodes);
    c.run("watches", c::watches);
    c.run("acls", c::acls);
    c.run("expiry", c::expiry);
    c.a.close();
    c.b.close();
    System.out.println("end");
    System.exit(0);
  }

  private interface Section {
    void run() throws Exception;
  }

  private CuratorClients(String address) throws Exception {
    this.address = address;
    a = connect();
    b = connect();
  }

  private CuratorFramework connect() throws Exception {
    CuratorFramework c =
        CuratorFrameworkFactory.builder()
            .connectString(address)
            .sessionTimeoutMs(20_000)
            .connectionTimeoutMs(10_000)
            .retryPolicy(new RetryOneTime(100))
            .build();
    c.start();
    if (!c.blockUntilConnected(20, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no connection to " + address);
    }
    return c;
  }

  private void run(String name, Section s) {
    section = name;
    try {
      s.run();
    } catch (Exception e) {
      say("failed: " + e);
    }
  }

  private void say(String what) {
    System.out.println(section + ": " + what);
    System.out.flush();
  }

  private interface Attempt {
    Object run() throws Exception;
  }

  /** What an attempt returns, or the name of what it throws. */
  private static Object outcome(Attempt t) {
    try {
      return t.run();
    } catch (Exception e) {
      return e.getClass().getSimpleName();
    }
  }

  private static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] b) {
    return b == null ? "null" : new String(b, StandardCharsets.UTF_8);
  }

  /** What is still there after a while: some recipes delete in the background. */
  private List<String> leftBehind(String path) throws Exception {
    long end = System.currentTimeMillis() + LONG_MS;
    List<String> left = children(path);
    while (!left.isEmpty() && System.currentTimeMillis() < end) {
      Thread.sleep(20);
      left = children(path);
    }
    return left;
  }

  /** Those of a container, which the server deletes at some moment after it got empty. */
  private List<String> children(String path) throws Exception {
    try {
      return a.getChildren().forPath(path);
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    }
  }

  private void mutex() throws Exception {
    InterProcessMutex ma = new InterProcessMutex(a, "/curator/mutex");
    InterProcessMutex mb = new InterProcessMutex(b, "/curator/mutex");
    say("a acquires " + ma.acquire(LONG_MS, TimeUnit.MILLISECONDS));
    say("a acquires again " + ma.acquire(LONG_MS, TimeUnit.MILLISECONDS));
    say("b tries " + mb.acquire(SHORT_MS, TimeUnit.MILLISECONDS));
    say("participants " + ma.getParticipantNodes().size());
    Future<Boolean> waits = pool.submit(() -> {
      boolean got = mb.acquire(LONG_MS, TimeUnit.MILLISECONDS);
      mb.release();
      return got;
    });
    Thread.sleep(SHORT_MS);
    say("b waits " + !waits.isDone());
    ma.release();
    say("a holds on " + ma.isAcquiredInThisProcess());
    ma.release();
    say("b acquired " + waits.get());
    say("b releases what it does not hold " + outcome(() -> { mb.release(); return "done"; }));
    int rounds = 0;
    List<Future<Integer>> all = new ArrayList<>();
    int[] inside = new int[1];
    for (CuratorFramework c : new CuratorFramework[] {a, b, a}) {
      InterProcessMutex m = new InterProcessMutex(c, "/curator/mutex");
      all.add(pool.submit(() -> {
        int n = 0;
        for (int i = 0; i < 5; i++) {
          m.acquire();
          if (++inside[0] == 1) {
            n++;
          }
          inside[0]--;
          m.release();
        }
        return n;
      }));
    }
    for (Future<Integer> f : all) {
      rounds += f.get();
    }
    say("alone in " + rounds + " of 15 rounds");
    say("left behind " + leftBehind("/curator/mutex"));
  }

  private void readWriteLock() throws Exception {
    InterProcessReadWriteLock la = new InterProcessReadWriteLock(a, "/curator/rw");
    InterProcessReadWriteLock lb = new InterProcessReadWriteLock(b, "/curator/rw");
    say("a reads " + la.readLock().acquire(LONG_MS, TimeUnit.MILLISECONDS));
    say("b reads " + lb.readLock().acquire(LONG_MS, TimeUnit.MILLISECONDS));
    lb.readLock().release();
    say("b writes " + lb.writeLock().acquire(SHORT_MS, TimeUnit.MILLISECONDS));
    la.readLock().release();
    say("b writes " + lb.writeLock().acquire(LONG_MS, TimeUnit.MILLISECONDS));
    say("b reads too " + lb.readLock().acquire(LONG_MS, TimeUnit.MILLISECONDS));
    say("a reads " + la.readLock().acquire(SHORT_MS, TimeUnit.MILLISECONDS));
    lb.writeLock().release();
    say("a reads " + la.readLock().acquire(LONG_MS, TimeUnit.MILLISECONDS));
    la.readLock().release();
    lb.readLock().release();
    say("left behind " + leftBehind("/curator/rw"));
  }

  private void semaphore() throws Exception {
    InterProcessSemaphoreV2 sa = new InterProcessSemaphoreV2(a, "/curator/semaphore", 3);
    InterProcessSemaphoreV2 sb = new InterProcessSemaphoreV2(b, "/curator/semaphore", 3);
    Collection<Lease> two = sa.acquire(2, LONG_MS, TimeUnit.MILLISECONDS);
    say("a takes " + (two == null ? 0 : two.size()));
    Lease one = sb.acquire(LONG_MS, TimeUnit.MILLISECONDS);
    say("b takes " + (one != null));
    say("b takes another " + (sb.acquire(SHORT_MS, TimeUnit.MILLISECONDS) != null));
    say("taken " + sa.getParticipantNodes().size());
    sa.returnAll(two);
    Lease another = sb.acquire(LONG_MS, TimeUnit.MILLISECONDS);
    say("b takes another " + (another != null));
    sb.returnLease(another);
    sb.returnLease(one);
    say("left behind " + leftBehind("/curator/semaphore/leases"));
  }

  private void leaderLatch() throws Exception {
    LeaderLatch la = new LeaderLatch(a, "/curator/leader", "a");
    LeaderLatch lb = new LeaderLatch(b, "/curator/leader", "b");
    la.start();
    say("a leads " + la.await(LONG_MS, TimeUnit.MILLISECONDS));
    lb.start();
    say("b leads " + lb.await(SHORT_MS, TimeUnit.MILLISECONDS));
    say("leader " + lb.getLeader().getId() + " of " + lb.getParticipants().size());
    la.close();
    say("b leads " + lb.await(LONG_MS, TimeUnit.MILLISECONDS));
    say("leader " + lb.getLeader().getId() + " of " + lb.getParticipants().size());
    lb.close();
    say("left behind " + leftBehind("/curator/leader"));
  }

  private void doubleBarrier() throws Exception {
    CountDownLatch entered = new CountDownLatch(3);
    List<Future<String>> all = new ArrayList<>();
    for (CuratorFramework c : new CuratorFramework[] {a, b, a}) {
      DistributedDoubleBarrier barrier = new DistributedDoubleBarrier(c, "/curator/barrier", 3);
      all.add(pool.submit(() -> {
        boolean in = barrier.enter(LONG_MS, TimeUnit.MILLISECONDS);
        entered.countDown();
        entered.await();
        boolean out = barrier.leave(LONG_MS, TimeUnit.MILLISECONDS);
        return "entered " + in + " left " + out;
      }));
    }
    for (Future<String> f : all) {
      say(f.get());
    }
    DistributedDoubleBarrier alone = new DistributedDoubleBarrier(a, "/curator/alone", 2);
    say("alone " + alone.enter(SHORT_MS, TimeUnit.MILLISECONDS));
  }

  private void queue() throws Exception {
    SimpleDistributedQueue qa = new SimpleDistributedQueue(a, "/curator/queue");
    SimpleDistributedQueue qb = new SimpleDistributedQueue(b, "/curator/queue");
    say("poll " + text(qa.poll()));
    for (String s : new String[] {"one", "two", "three", "four", "five"}) {
      qa.offer(bytes(s));
    }
    say("peek " + text(qb.peek()));
    say("element " + text(qb.element()));
    say("take " + text(qb.take()));
    say("poll " + text(qa.poll()));
    say("remove " + text(qa.remove()));
    say("poll " + text(qb.poll(LONG_MS, TimeUnit.MILLISECONDS)));
    say("children " + a.getChildren().forPath("/curator/queue").size());
    say("poll " + text(qb.poll()));
    say("poll " + text(qb.poll(SHORT_MS, TimeUnit.MILLISECONDS)));
    say("remove " + outcome(() -> text(qb.remove())));
    Future<String> waits = pool.submit(() -> text(qb.take()));
    Thread.sleep(SHORT_MS);
    qa.offer(bytes("six"));
    say("take " + waits.get());
  }

  private void cache() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    a.create().creatingParentsIfNeeded().forPath("/curator/cache", bytes("root"));
    a.create().forPath("/curator/cache/old", bytes("1"));
    CuratorCache cache = CuratorCache.build(b, "/curator/cache");
    cache.listenable().addListener(CuratorCacheListener.builder()
        .forAll((type, was, is) -> events.add(type + " "
            + (was == null ? "-" : was.getPath() + "=" + text(was.getData())) + " "
            + (is == null ? "-" : is.getPath() + "=" + text(is.getData()))))
        .forInitialized(() -> events.add("initialized"))
        .build());
    cache.start();
    TreeSet<String> first = new TreeSet<>();
    for (int i = 0; i < 3; i++) {
      first.add(next(events));
    }
    say("at first " + first);
    a.create().forPath("/curator/cache/new", bytes("2"));
    say(next(events));
    a.setData().forPath("/curator/cache/old", bytes("3"));
    say(next(events));
    a.create().forPath("/curator/cache/new/below", bytes("4"));
    say(next(events));
    a.delete().forPath("/curator/cache/new/below");
    say(next(events));
    a.delete().forPath("/curator/cache/new");
    say(next(events));
    a.setData().forPath("/curator/cache", bytes("5"));
    say(next(events));
    say("size " + cache.size() + " old " + text(cache.get("/curator/cache/old").get().getData()));
    cache.close();
  }

  private static String next(BlockingQueue<String> q) throws InterruptedException {
    String s = q.poll(LONG_MS, TimeUnit.MILLISECONDS);
    return s == null ? "nothing" : s;
  }

  private void transactions() throws Exception {
    List<CuratorTransactionResult> done = a.transaction().forOperations(
        a.transactionOp().create().forPath("/curator/t", bytes("1")),
        a.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/curator/t/s-"),
        a.transactionOp().setData().withVersion(0).forPath("/curator/t", bytes("2")),
        a.transactionOp().check().withVersion(1).forPath("/curator/t"),
        a.transactionOp().delete().forPath("/curator/t/s-0000000000"));
    for (CuratorTransactionResult r : done) {
      say(r.getType() + " " + r.getForPath() + " " + r.getResultPath() + " "
          + (r.getResultStat() == null ? "-" : r.getResultStat().getVersion()) + " " + r.getError());
    }
    try {
      a.transaction().forOperations(
          a.transactionOp().setData().forPath("/curator/t", bytes("3")),
          a.transactionOp().create().forPath("/curator/t"),
          a.transactionOp().delete().forPath("/curator/none"));
      say("no exception");
    } catch (KeeperException e) {
      say(e.code() + " " + e.getPath());
      for (org.apache.zookeeper.OpResult r : e.getResults()) {
        say("result " + r.getType() + " " + ((org.apache.zookeeper.OpResult.ErrorResult) r).getErr());
      }
    }
    say("data " + text(a.getData().forPath("/curator/t")));
  }

  private void nodes() throws Exception {
    Stat stat = new Stat();
    say(a.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath("/curator/t/e-", bytes("x")));
    say("protected " + a.create().withProtection().withMode(CreateMode.EPHEMERAL).forPath("/curator/t/p")
        .replaceAll("_c_[0-9a-f-]{36}-", "_c_GUID-"));
    say("exists " + outcome(() -> a.create().forPath("/curator/t")));
    say("or set " + a.create().orSetData().forPath("/curator/t", bytes("4")));
    say("no parent " + outcome(() -> a.create().forPath("/none/x")));
    say("bad version " + outcome(() -> a.setData().withVersion(99).forPath("/curator/t")));
    say("not empty " + outcome(() -> a.delete().forPath("/curator")));
    say("no node " + outcome(() -> a.getData().forPath("/none")));
    say("no children " + outcome(() -> a.create().forPath("/curator/t/e-0000000001/x")));
    a.getData().storingStatIn(stat).forPath("/curator/t");
    say("version " + stat.getVersion() + " cversion " + stat.getCversion() + " children " + stat.getNumChildren()
        + " length " + stat.getDataLength());
    say("ttl " + a.create().withTtl(100_000).withMode(CreateMode.PERSISTENT_WITH_TTL).forPath("/curator/t/ttl"));
    say("container " + a.create().withMode(CreateMode.CONTAINER).forPath("/curator/t/box"));
    a.create().forPath("/curator/t/box/in");
    a.delete().forPath("/curator/t/box/in");
    long end = System.currentTimeMillis() + LONG_MS;
    while (a.checkExists().forPath("/curator/t/box") != null && System.currentTimeMillis() < end) {
      Thread.sleep(50);
    }
    say("container is gone " + (a.checkExists().forPath("/curator/t/box") == null));
    say("ephemerals " + a.getZookeeperClient().getZooKeeper().getEphemerals("/curator/t").size());
    say("all children " + a.getZookeeperClient().getZooKeeper().getAllChildrenNumber("/curator/t"));
    a.delete().deletingChildrenIfNeeded().forPath("/curator/t");
    say("deleted " + (b.checkExists().forPath("/curator/t") == null));
  }

  private void watches() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    b.watchers().add().withMode(AddWatchMode.PERSISTENT_RECURSIVE)
        .usingWatcher((org.apache.curator.framework.api.CuratorWatcher) e -> events.add(e.getType() + " " + e.getPath())).forPath("/curator/w");
    a.create().forPath("/curator/w");
    a.create().forPath("/curator/w/x");
    a.setData().forPath("/curator/w/x", bytes("1"));
    a.delete().forPath("/curator/w/x");
    a.delete().forPath("/curator/w");
    for (int i = 0; i < 5; i++) {
      say(next(events));
    }
    b.watchers().removeAll().forPath("/curator/w");
    say(next(events));
    b.checkExists().usingWatcher((org.apache.curator.framework.api.CuratorWatcher) e -> events.add("once " + e.getType() + " " + e.getPath())).forPath("/curator/w");
    a.create().forPath("/curator/w");
    a.setData().forPath("/curator/w", bytes("1"));
    a.delete().forPath("/curator/w");
    say(next(events));
    say("and no more " + (events.poll(SHORT_MS, TimeUnit.MILLISECONDS) == null));
  }

  private void acls() throws Exception {
    ZooKeeper zk = a.getZookeeperClient().getZooKeeper();
    zk.addAuthInfo("digest", bytes("user:secret"));
    a.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath("/curator/acl", bytes("mine"));
    say("a reads " + text(a.getData().forPath("/curator/acl")));
    say("b reads " + outcome(() -> text(b.getData().forPath("/curator/acl"))));
    say("acl " + a.getACL().forPath("/curator/acl"));
    a.setACL().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/curator/acl");
    say("b reads " + text(b.getData().forPath("/curator/acl")));
    say("b writes " + outcome(() -> b.setData().forPath("/curator/acl", bytes("x"))));
    say("empty acl " + outcome(() -> zk.create("/curator/x", null, new ArrayList<>(), CreateMode.PERSISTENT)));
    say("who " + zk.whoAmI());
  }

  /** The session is ended by another connection on it. */
  private void expiry() throws Exception {
    CuratorFramework c = connect();
    BlockingQueue<String> states = new LinkedBlockingQueue<>();
    c.getConnectionStateListenable().addListener((client, s) -> {
      if (s != ConnectionState.CONNECTED) {
        states.add(s.toString());
      }
    });
    InterProcessMutex mutex = new InterProcessMutex(c, "/curator/expiry");
    say("acquires " + mutex.acquire(LONG_MS, TimeUnit.MILLISECONDS));
    c.create().withMode(CreateMode.EPHEMERAL).forPath("/curator/e");
    ZooKeeper zk = c.getZookeeperClient().getZooKeeper();
    CountDownLatch up = new CountDownLatch(1);
    ZooKeeper twin = new ZooKeeper(address, 20_000, e -> {
      if (e.getState() == org.apache.zookeeper.Watcher.Event.KeeperState.SyncConnected) {
        up.countDown();
      }
    }, zk.getSessionId(), zk.getSessionPasswd());
    say("twin connects " + up.await(LONG_MS, TimeUnit.MILLISECONDS));
    twin.close();
    say(next(states));
    say(next(states));
    say(next(states));
    say("ephemeral is gone " + (a.checkExists().forPath("/curator/e") == null));
    InterProcessMutex other = new InterProcessMutex(a, "/curator/expiry");
    say("another acquires " + other.acquire(LONG_MS, TimeUnit.MILLISECONDS));
    say("the first believes " + mutex.isAcquiredInThisProcess());
    other.release();
    c.close();
  }
}
