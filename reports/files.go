package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"zoosim/scenarios"
)

// file is one file of a report folder.
type file struct {
	name string
	data []byte
}

// files are those of a report folder. They are rendered in memory first, so
// that a fault while rendering leaves the folder as it was.
type files []file

func (fs *files) add(name string, b []byte) { *fs = append(*fs, file{name, b}) }

// addText adds a file that render writes.
func (fs *files) addText(name string, render func(io.Writer)) {
	var b bytes.Buffer
	render(&b)
	fs.add(name, b.Bytes())
}

// addJSON adds v, indented, with keys of maps in order.
func (fs *files) addJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fs.add(name, append(b, '\n'))
	return nil
}

// write writes the files into dir, which exists.
func (fs files) write(dir string) error {
	for _, f := range fs {
		if err := scenarios.WriteFile(filepath.Join(dir, f.name), f.data); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// here stands in files for the folder they lie in, whose path is the
// machine's.
const here = "."

// checkReplay makes sure that the name of a replay file is one within the
// report folder.
func checkReplay(of, name string) error {
	if name != "" && !filepath.IsLocal(name) {
		return fmt.Errorf("replay of %s: %q; allowed: a path within the report folder", of, name)
	}
	return nil
}
