#!/bin/bash
# Compares zoosim's search of the code of lock/zkdocs with spin's of a model of
# the same lock (lock.pml). User CPU time is measured, so that other load
# matters less; spin's includes the generation and compilation of the verifier
# only where the column says so.
#
#   compare.sh [ZOOSIM]      ZOOSIM is the command, bin/zoosim by default
#
# BUDGET bounds each of its searches; default 120s.
set -u
here=$(cd "$(dirname "$0")" && pwd)
zoosim=$(realpath "${1:-bin/zoosim}")
for tool in spin gcc "$zoosim"; do
	command -v "$tool" >/dev/null || { echo "compare.sh: $tool is missing"; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
TIMEFORMAT=%U

# timed COMMAND... runs a command, its output in $dir/out, and sets $seconds.
timed() { seconds=$({ time "$@" >"$dir/out" 2>&1; } 2>&1 | tail -1); }

# verifier "spin flags" "gcc flags" makes pan and sets $build.
verifier() {
	# shellcheck disable=SC2086
	{
		timed spin $1 -a "$here/lock.pml"; build=$seconds
		timed gcc -O2 -w -DSAFETY -DMEMLIM=8000 $2 -o pan pan.c
	}
	build=$(awk "BEGIN { printf \"%.2f\", $build + $seconds }")
}

# peer "spin flags" "gcc flags" "pan flags" sets $states, $seconds, $verdict.
peer() {
	verifier "$1" "$2"
	# shellcheck disable=SC2086
	timed ./pan -m100000 -w22 $3
	states=$(awk '/states, stored/ { print $1 }' out)
	verdict="no error"
	grep -q '^pan.*assertion violated' out && verdict="exclusion fails"
	grep -q '^pan.*invalid end state' out && verdict="stuck"
	grep -q 'max search depth' out && verdict="$verdict, cut off"
}

# own FLAGS... sets $states, $seconds, $verdict.
own() {
	timed "$zoosim" check "$@" --strategy exhaustive --budget "${BUDGET:-120s}" --out "$dir/zoosim"
	states=$(awk '/states,/ { print $4; exit }' out)
	verdict=$(awk '/ FAIL / { printf "%s%s", sep, $1; sep = ", " } END { if (sep) print " fail"; else print "no error" }' out)
	grep -q 'NOT complete' out && verdict="$verdict, not complete"
	length=$(awk -F'[:,]' '/^exclusion fails/ { print $3 }' out)
}

row() { printf '%-44s %-34s %10s %8s  %s\n' "$@"; }

# both NAME "spin flags" FLAGS...
both() {
	local name=$1 flags=$2
	shift 2
	own "$@"
	row "$name" "zoosim" "$states" "$seconds" "$verdict"
	own "$@" --reductions delivery,private,done,checkpoint,grant,defer
	row "" "zoosim without symmetry" "$states" "$seconds" "$verdict"
	peer "$flags" "" ""
	row "" "spin" "$states" "$seconds" "$verdict (and $build s to build)"
	peer "$flags" "-DNOREDUCE" ""
	row "" "spin -DNOREDUCE" "$states" "$seconds" "$verdict"
}

row "case" "checker" "states" "CPU s" "verdict"
both "3 clients, 1 crash" "-DN=3 -DC=1" lock/zkdocs --clients 3 --faults crash=1
both "3 clients, 1 live expiry, 1 lost reply" "-DN=3 -DE=1 -DL=1" lock/zkdocs --clients 3 --faults expiry=1,cut-reply=1
both "3 clients x 2 rounds, 1 crash" "-DN=3 -DR=2 -DC=1" lock/zkdocs --clients 3 --ops 2 --faults crash=1
both "4 clients, 1 crash" "-DN=4 -DC=1" lock/zkdocs --clients 4 --faults crash=1

# The flaw: a waiter that is woken does not look again.
own lock/zkdocs-no-relook --clients 3 --faults crash=1
row "3 clients, 1 crash, no second look" "zoosim" "$states" "$seconds" "$verdict,$length"
peer "-DN=3 -DC=1 -DOPEN -DNOLOOK" "-DBFS" ""
# A step: a client takes a message, the server serves one, a crash, an expiry.
steps=$(spin -DN=3 -DC=1 -DOPEN -DNOLOOK -k lock.pml.trail -t -p "$here/lock.pml" 2>/dev/null |
	grep -c '\[in?[a-z]\|\[(nempty(request\|((crashes<\|&&gone\[')
row "" "spin -DBFS, creates under way" "$states" "$seconds" "$verdict, $steps transitions"
