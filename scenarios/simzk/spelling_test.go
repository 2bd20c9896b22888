package simzk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpells(t *testing.T) {
	const id = 0x0100000000000002
	for text, want := range map[string]bool{
		"":                           false,
		"/lock/x-":                   false,
		"/lock/x-72057594037927938-": true,
		"/lock/x-72057594037927937-": false,
		"0x100000000000002":          true,
		"session-0100000000000002":   true,
		"_c_00000002-0000-4000-8000-000000000001-lock-": false,
	} {
		require.Equal(t, want, spells(text, id), text)
	}
}
