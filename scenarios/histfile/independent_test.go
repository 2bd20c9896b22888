package histfile_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios/histfile"
)

// Keys are objects of their own: what would be wrong on one register is right
// on two, and the key that fails is named.
func TestIndependent(t *testing.T) {
	text := func(key, sees int) string {
		return "{:process 0, :type :invoke, :f :write, :value [1 5]}\n{:process 0, :type :ok, :f :write, :value [1 5]}\n" +
			"{:process 0, :type :invoke, :f :write, :value [2 6]}\n{:process 0, :type :ok, :f :write, :value nil}\n" +
			fmt.Sprintf("{:process 1, :type :invoke, :f :read, :value [%d nil]}\n{:process 1, :type :ok, :f :read, :value [%d %d]}\n", key, key, sees)
	}
	judge := func(text string) histfile.Report {
		h, err := histfile.ParseIndependent([]byte(text), histfile.EDN, "cas-register")
		require.NoError(t, err)
		return histfile.Judge(h, checker.DecideOptions{})
	}
	require.Equal(t, checker.Pass, judge(text(1, 5)).Verdict)
	require.Equal(t, checker.Pass, judge(text(2, 6)).Verdict)
	bad := judge(text(1, 6))
	require.Equal(t, checker.Failed, bad.Verdict)
	require.Contains(t, bad.Why, "object 1: ")
	for bad, want := range map[string]string{
		"5": "value 5; allowed: [key value]", "nil": "value nil; allowed: [key value]", "[nil 5]": "key nil; allowed",
	} {
		_, err := histfile.ParseIndependent([]byte("{:process 0, :type :invoke, :f :write, :value "+bad+"}"), histfile.EDN, "cas-register")
		require.ErrorContains(t, err, want)
	}
}
