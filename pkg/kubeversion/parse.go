package kubeversion

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
)

// releases are those that admsim knows, newest first.
var releases = []struct {
	version string
	release func() *Release
}{
	{"1.36", release136},
	{"1.35", release135},
	{"1.34", release134},
	{"1.33", release133},
	{"1.32", release132},
	{"1.31", release131},
	{"1.30", release130},
}

// form is how people write a release: 1.36, v1.36, v1.36.3, 1.36.3-gke.100, v1.36.3+k3s1.
var form = regexp.MustCompile(`^v?(\d+\.\d+)(\.\d+)?([-+].*)?$`)

// Parse returns the release of that minor version, whatever its patch version.
func Parse(version string) (*Release, error) {
	m := form.FindStringSubmatch(strings.TrimSpace(version))
	if m == nil {
		return nil, fmt.Errorf("%q is no Kubernetes version: write it like %s", version, releases[0].version)
	}
	for _, r := range releases {
		if r.version == m[1] {
			return r.release(), nil
		}
	}
	known := Versions()
	return nil, didyoumean.Unknown(fmt.Sprintf("admsim does not know Kubernetes %s, only %s", m[1], strings.Join(known, ", ")), m[1], known)
}

// Default returns the newest release.
func Default() *Release { return releases[0].release() }

// Versions are the minor versions that admsim knows, newest first.
func Versions() []string {
	known := make([]string, len(releases))
	for i, r := range releases {
		known[i] = r.version
	}
	return known
}
