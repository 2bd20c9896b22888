package zkmodel

// ValidPath reports whether a client library sends a request for this path:
// Java and go-zookeeper check it first (PathUtils.validatePath). For a
// sequential create the path is checked with its number.
func ValidPath(path string, sequential bool) bool {
	return validPath(path) || sequential && validPath(path+"1")
}
