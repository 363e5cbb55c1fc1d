package upstream

// This file contains what is only needed for old releases, which are given by their minor versions.

// newerModules lists the modules that a release needs in a newer version than it pins, or from another place, in order to be
// built today. All others have the versions that the release was published with.
var newerModules = []struct {
	until        int // the last release that needs it
	path, module string
	because      string
}{
	{23, "github.com/modern-go/reflect2", "github.com/modern-go/reflect2 v1.0.2", "maps work differently in today's Go"},
	{18, "vbom.ml/util", "github.com/fvbommel/util v0.0.0-20160121211510-db5cfe13f5cc", "its host is gone"},
}

// raisedFor returns the modules that a release needs instead of those that it pins, by path.
func raisedFor(minor int) map[string]string {
	modules := map[string]string{}
	for _, r := range newerModules {
		if minor <= r.until {
			modules[r.path] = r.module
		}
	}
	return modules
}
