package kubeversion

// CELLibrary returns the version of cel-go that the server is linked with, such as 16_01 for 0.16.1, or 0 if there is none:
// go.mod of kubernetes/apiserver.
func (r *Release) CELLibrary() int {
	for _, library := range []struct{ since, version int }{
		{37, 29_02}, {34, 26_00}, {33, 23_02}, {32, 22_00}, {31, 20_01}, {30, 17_08}, {29, 17_07}, {28, 16_01}, {25, 12_07}, {24, 10_04}, {23, 9_00},
	} {
		if r.Minor >= library.since {
			return library.version
		}
	}
	return 0
}
