package reports

import (
	"io"
	"os"
	"testing"
)

func TestLook(t *testing.T) {
	d := "/tmp/look"
	os.MkdirAll(d+"/c", 0o755)
	os.MkdirAll(d+"/s", 0o755)
	os.MkdirAll(d+"/f", 0o755)
	os.MkdirAll(d+"/t", 0o755)
	if e := WriteCompare(d+"/c", sampleCompare(), sampleSweep(1, 2, 4, 8), sampleManifest()); e != nil {
		t.Fatal(e)
	}
	if e := WriteCompare(d+"/f", fullCompare(), sampleSweep(1, 2, 4, 8, 16, 32, 64, 128, 256), sampleManifest()); e != nil {
		t.Fatal(e)
	}
	if e := WriteSweep(d+"/s", sampleSweep(7, 37, 173), sampleManifest()); e != nil {
		t.Fatal(e)
	}
	if e := WriteSweep(d+"/t", sampleSweep(1), sampleManifest()); e != nil {
		t.Fatal(e)
	}
	var w io.Writer = os.Stdout
	CompareText(w, sampleCompare())
	CompareText(w, fullCompare())
	SweepText(w, sampleSweep(1, 2, 4, 8, 16, 32, 64, 128, 256))
	RunText(w, sampleRun())
}
