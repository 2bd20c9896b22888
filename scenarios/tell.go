package scenarios

import (
	"fmt"

	"zoosim/checker"
)

// modeText is how an operation waits.
func modeText(e *checker.Event) string {
	if e.Mode == checker.TimedMode {
		return e.Mode.String() + ", limit " + e.Limit.String()
	}
	return e.Mode.String()
}

// tellLock says what a client of a lock does.
func tellLock(e *checker.Event) string {
	switch e.Kind {
	case checker.Invoke:
		return "acquires the lock (" + modeText(e) + ")"
	case checker.Grant:
		if e.Arg != 0 {
			return fmt.Sprintf("is GRANTED the lock with token %d", e.Arg)
		}
		return "is GRANTED the lock"
	case checker.Refuse:
		return "does not get the lock"
	case checker.Fail:
		return "fails to acquire: " + e.Text
	case checker.ReleaseInvoke:
		return "releases the lock"
	case checker.ReleaseReturn:
		if e.Text != "" {
			return "fails to release: " + e.Text
		}
		return "has released the lock"
	}
	return tellLife(e)
}

// tellLife says what clients of every family do.
func tellLife(e *checker.Event) string {
	if e.Kind == checker.Done {
		return "is done"
	}
	return ""
}
