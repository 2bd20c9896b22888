package histfile

// maxDepth is how deep brackets may be nested: deeper than any history, and
// far from where a reader that calls itself runs out of stack.
const maxDepth = 100

// bracket is one that is open.
type bracket struct {
	closing byte
	line    int
}

// checkBrackets tells the line of a bracket or string that is not closed, or
// that closes nothing, which a reader notices only at the end of the file.
func checkBrackets(data []byte) error {
	var open []bracket
	line := 1
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '\n':
			line++
		case ';':
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
		case '\\': // a character, which may be a bracket
			i++
			if i < len(data) && data[i] == '\n' {
				line++
			}
		case '"':
			begin := line
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
				if i < len(data) && data[i] == '\n' {
					line++
				}
			}
			if i >= len(data) {
				return fault(begin, "a string that begins here does not end")
			}
		case '(', '[', '{':
			if len(open) == maxDepth {
				return fault(line, "brackets are nested deeper than %d", maxDepth)
			}
			open = append(open, bracket{map[byte]byte{'(': ')', '[': ']', '{': '}'}[c], line})
		case ')', ']', '}':
			if len(open) == 0 {
				return fault(line, "%q closes nothing", c)
			}
			last := open[len(open)-1]
			if last.closing != c {
				return fault(line, "%q, where the bracket of line %d wants %q", c, last.line, last.closing)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return fault(last.line, "a bracket that opens here is not closed by %q", last.closing)
	}
	return nil
}
