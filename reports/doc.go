// Package reports turns results into what people read: tables on the
// terminal, Markdown, CSV, plots, and one HTML page. It reads results only and
// judges nothing.
//
// [WriteCompare] writes the report folder of a comparison, [WriteSweep] that
// of a sweep with its herd curves, [WriteZoo] the page of the known faults; a
// [Manifest] says what a folder came from. [CompareText], [SweepText],
// [RunText], [CheckText], [ZooText] and [LiveText] write what a terminal shows.
//
//	err := reports.WriteCompare(dir, result, sweep, reports.Manifest{
//		Commit: commit, Command: "zoosim compare lock --seeds 50", Scenario: "lock", Seeds: "1-50",
//	})
//
// The files of a folder are a function of the result and the manifest alone:
// no time, no duration and no path of the machine is in them, so that two
// folders can be compared byte for byte. Replay files lie in the folder too,
// but others write them.
//
// Texts from a run may hold anything. Tables show control characters and
// broken UTF-8 as U+FFFD and line breaks as spaces; the JSON files keep texts
// as they are.
//
// The package imports scenarios for the types of results and checker for its
// constants, and gonum/plot.
package reports
