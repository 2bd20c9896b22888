package reports

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text fit into one cell: white space becomes spaces, and what
// cannot be printed, a terminal's escape sequences included, U+FFFD.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, s))
}

// elide shortens a text to n runes.
func elide(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(n-3, 0)]), " ") + "..."
}

// num writes a number for people: three digits or more, no trailing zeros.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	decimals := 3
	if a := math.Abs(v); a >= 100 {
		decimals = 1
	} else if a >= 1 {
		decimals = 2
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "" || s == "-" || s == "-0" {
		return "0"
	}
	return s
}

// exact writes a number so that it can be read back.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// signed is num with a sign.
func signed(v float64) string {
	if v > 0 {
		return "+" + num(v)
	}
	return num(v)
}

// interval writes a confidence interval.
func interval(low, high float64, f func(float64) string) string {
	return "[" + f(low) + ", " + f(high) + "]"
}

// count writes "1 seed" or "3 seeds".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sortedKeys are the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	ks := make([]K, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// short is a variant's name without its family.
func short(family, variant string) string { return strings.TrimPrefix(variant, family+"/") }

// replayLine is the line that replays a file of the report folder dir; "" and
// "." mean the folder itself.
func replayLine(dir, name string) string {
	if name == "" {
		return ""
	}
	return "zoosim replay " + shellWord(filepath.ToSlash(filepath.Join(dir, name)))
}

// shellWord quotes a text for a shell where that is needed.
func shellWord(s string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+=@%"
	if s != "" && strings.Trim(s, safe) == "" && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// fileLink is the address of a file of the report folder.
func fileLink(name string) string {
	if name == "" {
		return ""
	}
	return (&url.URL{Path: filepath.ToSlash(name)}).String()
}
