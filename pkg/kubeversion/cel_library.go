package kubeversion

// CELLibrary returns the minor version of cel-go that the server is linked with, 0 if none: go.mod of
// kubernetes/apiserver.
func (r *Release) CELLibrary() int {
	for _, library := range []struct{ since, version int }{
		{37, 29}, {34, 26}, {33, 23}, {32, 22}, {31, 20}, {29, 17}, {28, 16}, {25, 12}, {24, 10}, {23, 9},
	} {
		if r.Minor >= library.since {
			return library.version
		}
	}
	return 0
}
