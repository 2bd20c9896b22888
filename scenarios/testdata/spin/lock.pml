/* The lock of ZooKeeper's documentation as a message-channel model, for a
   comparison with zoosim's search of the real code (compare.sh).

   A client takes one message and runs to its next wait; the server serves the
   head of any client's channel; holding the lock is a state of its own. A
   client connects, queues (create), lists, watches its predecessor, looks
   again when it is woken, deletes its znode, and closes its session.

   N clients, R rounds; faults: C crashes, E sessions of live clients that
   expire, L requests whose reply is lost. OPEN begins with the sessions open
   and the creates under way, and closes none. NOLOOK is the flaw of a waiter
   that does not look again when it is woken. */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 1
#endif
#ifndef C
#define C 0
#endif
#ifndef E
#define E 0
#endif
#ifndef L
#define L 0
#endif

mtype = { connect, connected, create, created, list, listed, lookup, found,
          watch, watched, event, delete, deleted, close, closed, expired, loss };

chan request[N] = [1] of { mtype, byte };
chan reply[N] = [3] of { mtype, short };

byte crashes, expiries, losses;  /* spent */
byte holders;
bool gone[N];                    /* crashed: what is sent to it is dropped */
bool over[N];                    /* done, crashed, or without its session */

#if E > 0
#define HOLD holders++           /* beliefs overlap, as they must */
#else
#define HOLD holders++; assert(holders == 1)
#endif

#if C > 0
#define CRASH(held) :: atomic { crashes < C -> crashes++; holders = holders - held; \
    gone[id] = 1; over[id] = 1; my = 0; left = 0; \
    do :: nempty(in) -> in?_,_ :: empty(in) -> break od; goto crashed }
#else
#define CRASH(held)
#endif
#if E > 0
#define EXPIRED(held) :: atomic { in?expired,_ -> holders = holders - held; over[id] = 1; my = 0; left = 0; goto without }
#else
#define EXPIRED(held)
#endif
#if L > 0
#define LOSS(r, v) :: atomic { in?loss,_ -> out!r,v }
#else
#define LOSS(r, v)
#endif
#define OTHERS(held) EXPIRED(held) CRASH(held)

proctype client(byte id; chan in; chan out) {
  byte my, left = R, p;
  short m;
#ifdef OPEN
  goto wcreate;
#endif
  if
  :: atomic { in?connected,_ -> out!create,0 }
  OTHERS(0)
  fi;
wcreate:
  if
  :: atomic { in?created,my -> out!list,0 }
#if L > 0
  :: atomic { in?loss,_ -> out!lookup,0; goto wlookup }
#endif
  OTHERS(0)
  fi;
  goto wlist;
#if L > 0
wlookup:
  do
  :: atomic { in?found,my ->
       if :: my > 0 -> out!list,0; goto wlist
          :: else -> out!create,0; goto wcreate
       fi }
  LOSS(lookup, 0)
  OTHERS(0)
  od;
#endif
wlist:
  do
  :: atomic { in?listed,m ->
       p = my;
       do
       :: p > 0 && (p == my || !(m & (1 << p))) -> p--
       :: else -> break
       od;
       m = 0;
       if
       :: p > 0 -> out!watch,p; goto wwatch
       :: else -> HOLD; goto hold
       fi }
  LOSS(list, 0)
  OTHERS(0)
  od;
wwatch:
  do
  :: atomic { in?watched,m ->
       if
       :: m == 1 -> m = 0; p = 0; goto wevent
       :: else -> p = 0; out!list,0; goto wlist
       fi }
#if L > 0
  :: atomic { in?event,_ }       /* of a watch whose reply was lost */
#endif
  LOSS(watch, p)
  OTHERS(0)
  od;
wevent:
  if
#ifdef NOLOOK
  :: atomic { in?event,_ -> HOLD; goto hold }
#else
  :: atomic { in?event,_ -> out!list,0; goto wlist }
#endif
  OTHERS(0)
  fi;
hold:
  if
  :: atomic { holders--; out!delete,0; goto wdelete }
  OTHERS(1)
  fi;
wdelete:
  do
  :: atomic { in?deleted,_ -> my = 0; left--;
       if
       :: left > 0 -> out!create,0; goto wcreate
#ifdef OPEN
       :: else -> over[id] = 1; goto finished
#else
       :: else -> out!close,0; goto wclose
#endif
       fi }
  LOSS(delete, 0)
  OTHERS(0)
  od;
wclose:
  if
  :: atomic { in?closed,_ -> over[id] = 1; goto finished }
  OTHERS(0)
  fi;
finished:
end_finished:
#if E > 0
  atomic { in?expired,_ -> goto without }
#else
  false
#endif
crashed:
end_crashed: false
without:
end_without: false
}

#define CLEAR k = 0; v = 0; d = 0; f = 0; s = 0
#define SEND(c, a, b) if :: !gone[c] -> reply[c]!a,b :: else fi
#define ANSWER(c, a, b) if :: gone[c] :: !gone[c] && lose -> reply[c]!loss,0 :: else -> reply[c]!a,b fi
#define DROP(c) s = node[c]; node[c] = 0; d = 0; \
    do :: d < N -> if :: s != 0 && seen[d] == s -> seen[d] = 0; SEND(d, event, 0) :: else fi; d++ :: else -> break od
#define END(c) open[c] = 0; if :: nempty(request[c]) -> request[c]?_,_ :: else fi; DROP(c); seen[c] = 0

#define WORK(c) \
    if \
    :: k == connect -> open[c] = 1; SEND(c, connected, 0) \
    :: k != connect && !open[c] \
    :: open[c] && k == create -> node[c] = next; next++; ANSWER(c, created, node[c]) \
    :: open[c] && k == lookup -> ANSWER(c, found, node[c]) \
    :: open[c] && k == list -> d = 0; \
         do :: d < N -> if :: node[d] != 0 -> f = f | (1 << node[d]) :: else fi; d++ :: else -> break od; \
         ANSWER(c, listed, f) \
    :: open[c] && k == watch -> d = 0; \
         do :: d < N -> if :: node[d] == v -> f = 1; seen[c] = v :: else fi; d++ :: else -> break od; \
         ANSWER(c, watched, f) \
    :: open[c] && k == delete -> DROP(c); ANSWER(c, deleted, 0) \
    :: open[c] && k == close -> END(c); SEND(c, closed, 0) \
    fi

#define SERVE(c) :: d_step { nempty(request[c]) -> request[c]?k,v; WORK(c); CLEAR }
#if C > 0
#define DEAD(c) :: d_step { open[c] && gone[c] -> END(c); CLEAR }
#else
#define DEAD(c)
#endif
#if E > 0
#define LIVE(c) :: d_step { open[c] && !over[c] && expiries < E -> expiries++; END(c); SEND(c, expired, 0); CLEAR }
#else
#define LIVE(c)
#endif
#if L > 0
#define LOSE(c) :: d_step { nempty(request[c]) && open[c] && losses < L && !request[c]?[close,_] -> losses++; \
    lose = 1; request[c]?k,v; WORK(c); lose = 0; CLEAR }
#else
#define LOSE(c)
#endif
#define ALL(c) SERVE(c) DEAD(c) LIVE(c) LOSE(c)

proctype server() {
  byte node[N], seen[N], next = 1, d, s, v;
  short f;
  mtype k;
  bool open[N], lose;
#ifdef OPEN
  d_step { d = 0; do :: d < N -> open[d] = 1; d++ :: else -> break od; d = 0 }
#endif
end:
  do
  ALL(0)
  ALL(1)
#if N > 2
  ALL(2)
#endif
#if N > 3
  ALL(3)
#endif
  od
}

init {
  atomic {
    byte i;
    run server();
    do
    :: i < N ->
#ifdef OPEN
       request[i]!create,0;
#else
       request[i]!connect,0;
#endif
       run client(i, reply[i], request[i]); i++
    :: else -> break
    od;
    i = 0
  }
}
