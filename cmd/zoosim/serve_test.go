package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// serving runs serve until stop is called, which returns the exit status.
func serving(t *testing.T, args ...string) (out *bufio.Reader, stop func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), w, io.Discard)
		_ = w.Close()
	}()
	return bufio.NewReader(r), func() int { cancel(); return <-done }
}

func TestServe(t *testing.T) {
	script := filepath.Join(t.TempDir(), "faults.yaml")
	require.NoError(t, os.WriteFile(script, []byte("faults: [{do: expiry, op: sync}]\n"), 0o644))
	out, stop := serving(t, "--json", "--admin", "127.0.0.1:0", "--script", script)
	var rep serveReport
	require.NoError(t, json.NewDecoder(out).Decode(&rep))
	require.Equal(t, []string{rep.Address}, rep.Addresses)
	require.NotEmpty(t, rep.Admin)
	c, err := net.Dial("tcp", rep.Address)
	require.NoError(t, err)
	_, err = c.Write([]byte("ruok"))
	require.NoError(t, err)
	answer, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, "imok", string(answer))
	require.Equal(t, exitPass, stop(), "an interrupt is its normal end")
	_, err = net.Dial("tcp", rep.Address)
	require.Error(t, err)
}

func TestServeSaysWhere(t *testing.T) {
	out, stop := serving(t, "--admin", "127.0.0.1:0")
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Regexp(t, `^serves on 127\.0\.0\.1:\d+ until interrupted\n$`, line)
	line, err = out.ReadString('\n')
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(line, "admin page http://127.0.0.1:"), line)
	require.Equal(t, exitPass, stop())
}
