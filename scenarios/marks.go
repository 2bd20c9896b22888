package scenarios

// Mark is a situation that a search should reach at least sometimes. A mark
// that no search ever reaches says that the searches, or the world, cannot do
// what they should.
type Mark struct {
	Name string
	// Meaning says when it is hit, as far as the name does not.
	Meaning string
}

// mark is the number of a mark, and its bit in what a run has hit.
type mark uint8

// The marks, in the order of [Marks].
const (
	markGrantedAtOnce mark = iota
	markGrantedAfterWait
	markTimedGranted
	markTimedOut
	markTryGranted
	markTryRefused
	markTimedOutAsPredecessorWent
	markWoken
	markWokenNotFirst
	markNotifiedAfterGivingUp
	markHerd
	markUnwatchedDelete
	markEventBehindReply
	markGoneBeforeList
	markGoneBeforeWatch
	markGoneBeforeCreate
	markFiredWhileDown
	markQueueOfThree
	markOvertaken
	markTwoHolders
	markTwoTickets
	markTicketAgain
	markWaitsForever
	markFailed
	markGrantedAfterFailure
	markReleaseFailed
	markReleaseRepeated
	markDoneWithTicket

	markExpiredHolding
	markExpiredWaiting
	markExpiredReleasing
	markToldHolding
	markToldWaiting
	markSameSessionAgain
	markNewSession
	markSessionWhileOldLives
	markDownHolding
	markDownWaiting

	markCrashHolding
	markCrashWaiting
	markCrashBeforeTicket
	markCrashReleasing
	markRestartWithTicket
	markGrantedAfterRestart
	markPausedHolding
	markPausedWaiting
	markExpiredPaused
	markResumedHolderWithoutSession
	markCreateReplyLost
	markCreateRequestLost
	markDeleteReplyLost
	markDeleteRequestLost
	markListReplyLost
	markWatchReplyLost
	markCutHolding
	markCutWaiting
	markPartitionHealed
	markPartitionOutlived
	markEventDelayed
	markInterruptedWaiting
	markInterruptedReleasing
	markWriteRefused

	numMarks = int(markWriteRefused) + 1
)

// Marks lists the marks.
func Marks() []Mark {
	return markTable[:]
}

var markTable = [numMarks]Mark{
	markGrantedAtOnce:             {"granted at once", "without any wait"},
	markGrantedAfterWait:          {"granted after a wait", ""},
	markTimedGranted:              {"timed acquire granted", ""},
	markTimedOut:                  {"timed acquire refused", ""},
	markTryGranted:                {"non-blocking acquire granted", ""},
	markTryRefused:                {"non-blocking acquire refused", ""},
	markTimedOutAsPredecessorWent: {"timed out while the predecessor went", "the predecessor was deleted, and the acquire was refused without another look"},
	markWoken:                     {"woken by the end of a ticket", ""},
	markWokenNotFirst:             {"woken and not first", "after a notification the client watches again"},
	markNotifiedAfterGivingUp:     {"notified after giving up", "the client does not acquire any more"},
	markHerd:                      {"one end wakes several", "the deletion of a ticket notifies two clients or more"},
	markUnwatchedDelete:           {"nobody watched", "a ticket was deleted, others wait, and none was notified"},
	markEventBehindReply:          {"event right behind the reply", "a watch fired before the reply that confirms it can have arrived"},
	markGoneBeforeList:            {"predecessor deleted between create and listing", ""},
	markGoneBeforeWatch:           {"predecessor deleted between listing and watching", ""},
	markGoneBeforeCreate:          {"a ticket deleted between invocation and create", ""},
	markFiredWhileDown:            {"watch fired while disconnected", "the predecessor of a waiter without connection was deleted"},
	markQueueOfThree:              {"three tickets in line", ""},
	markOvertaken:                 {"granted before an older ticket", ""},
	markTwoHolders:                {"two holders", "granted while another believes"},
	markTwoTickets:                {"two tickets of one client", ""},
	markTicketAgain:               {"second ticket in one acquire", ""},
	markWaitsForever:              {"waits for ever", "a live client still waits at the end"},
	markFailed:                    {"acquire failed", ""},
	markGrantedAfterFailure:       {"granted after a failed acquire", ""},
	markReleaseFailed:             {"release failed", ""},
	markReleaseRepeated:           {"release repeated", ""},
	markDoneWithTicket:            {"done with a ticket left", ""},

	markExpiredHolding:       {"expired while holding", ""},
	markExpiredWaiting:       {"expired while waiting", ""},
	markExpiredReleasing:     {"expired while releasing", ""},
	markToldHolding:          {"told of its session's end while holding", ""},
	markToldWaiting:          {"told of its session's end while waiting", ""},
	markSameSessionAgain:     {"reconnected in its session", ""},
	markNewSession:           {"connected with a new session", "after the end of the former"},
	markSessionWhileOldLives: {"new session while the old one lives", ""},
	markDownHolding:          {"disconnected while holding", ""},
	markDownWaiting:          {"disconnected while waiting", ""},

	markCrashHolding:                {"crashed while holding", ""},
	markCrashWaiting:                {"crashed while waiting", ""},
	markCrashBeforeTicket:           {"crashed before its ticket was made", ""},
	markCrashReleasing:              {"crashed while releasing", ""},
	markRestartWithTicket:           {"restarted while its old ticket lives", ""},
	markGrantedAfterRestart:         {"granted after a restart", ""},
	markPausedHolding:               {"paused while holding", ""},
	markPausedWaiting:               {"paused while waiting", ""},
	markExpiredPaused:               {"expired while paused", ""},
	markResumedHolderWithoutSession: {"resumed as a holder without a session", ""},
	markCreateReplyLost:             {"create applied, reply lost", ""},
	markCreateRequestLost:           {"create lost", "a request of an acquire without a ticket was lost"},
	markDeleteReplyLost:             {"delete applied, reply lost", ""},
	markDeleteRequestLost:           {"delete lost", "a request of a release was lost"},
	markListReplyLost:               {"reply to a listing lost", ""},
	markWatchReplyLost:              {"reply to a watch lost", ""},
	markCutHolding:                  {"connection cut while holding", ""},
	markCutWaiting:                  {"connection cut while waiting", ""},
	markPartitionHealed:             {"partition healed in time", "and the session was kept"},
	markPartitionOutlived:           {"partition outlived the session", ""},
	markEventDelayed:                {"event held up", ""},
	markInterruptedWaiting:          {"interrupted while waiting", ""},
	markInterruptedReleasing:        {"interrupted while releasing", ""},
	markWriteRefused:                {"write refused by the resource", ""},
}

// markCounts counts the runs in which each mark was hit.
type markCounts [numMarks]int

// observe counts the marks of a run, by bit.
func (c *markCounts) observe(hit uint64) {
	for i := range c {
		c[i] += int(hit >> i & 1)
	}
}

// add adds other counts.
func (c *markCounts) add(d *markCounts) {
	for i, n := range d {
		c[i] += n
	}
}

// report is the counts by name.
func (c *markCounts) report() map[string]int {
	m := make(map[string]int, numMarks)
	for i, x := range markTable {
		m[x.Name] = c[i]
	}
	return m
}
