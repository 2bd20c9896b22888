package checker

import (
	"strconv"
	"time"
)

// ClientName is the name of a 0-based client in reports: A to Z, then A1 to
// Z1, A2 and so on. A negative client is "-".
func ClientName(i int) string {
	if i < 0 {
		return "-"
	}
	letter := string(rune('A' + i%26))
	if i < 26 {
		return letter
	}
	return letter + strconv.Itoa(i/26)
}

// name is ClientName for the client of an event.
func name(client int32) string { return ClientName(int(client)) }

// seconds writes a time or a duration in seconds with three decimals.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "s"
}
