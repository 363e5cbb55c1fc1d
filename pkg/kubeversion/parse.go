package kubeversion

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// releases lists the releases that admsim knows, newest first.
var releases = []struct {
	version string
	release func() *Release
}{
	{"1.37", release137},
	{"1.36", release136},
	{"1.35", release135},
	{"1.34", release134},
	{"1.33", release133},
	{"1.32", release132},
	{"1.31", release131},
	{"1.30", release130},
	{"1.29", release129},
	{"1.28", release128},
	{"1.27", release127},
	{"1.26", release126},
	{"1.25", release125},
	{"1.24", release124},
	{"1.23", release123},
	{"1.22", release122},
	{"1.21", release121},
	{"1.20", release120},
	{"1.19", release119},
	{"1.18", release118},
	{"1.17", release117},
	{"1.16", release116},
	{"1.15", release115},
	{"1.14", release114},
	{"1.13", release113},
	{"1.12", release112},
	{"1.11", release111},
	{"1.10", release110},
}

// early lists the minor versions whose first patch releases lack what later ones have ([Feature.backported]), with the
// first patch release that has it.
var early = []struct {
	version string
	until   int
	release func() *Release
}{
	{"1.33", 4, sync.OnceValue(func() *Release { return release133().asEarly() })},
	{"1.32", 8, sync.OnceValue(func() *Release { return release132().asEarly() })},
	{"1.31", 12, sync.OnceValue(func() *Release { return release131().asEarly() })},
}

// form matches the ways to write a release: 1.36, v1.36, v1.36.3, 1.36.3-gke.100, v1.36.3+k3s1.
var form = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v?(\d+\.\d+)(?:\.(\d+))?([-+].*)?$`) })

// Parse returns the release of a version such as 1.36 or v1.36.3. A version without a patch number is the last patch
// release. All patch releases of a minor version are the same release, except for the early ones listed above.
func Parse(version string) (*Release, error) {
	m := form().FindStringSubmatch(strings.TrimSpace(version))
	if m == nil {
		return nil, &UnknownError{Problem: fmt.Sprintf("%q is not a Kubernetes version", version), Else: "write it like " + releases[0].version}
	}
	for _, r := range early {
		if patch, err := strconv.Atoi(m[2]); r.version == m[1] && err == nil && patch < r.until {
			return r.release(), nil
		}
	}
	for _, r := range releases {
		if r.version == m[1] {
			return r.release(), nil
		}
	}
	return nil, unknownVersion(m[1])
}

// unknownVersion returns an error that suggests the oldest or the newest release, unless the version is a known one
// with a digit missing.
func unknownVersion(version string) error {
	newest, oldest := releases[0].version, releases[len(releases)-1].version
	err := &UnknownError{
		Problem: fmt.Sprintf("admsim does not know Kubernetes %s, only %s to %s", version, oldest, newest),
		Nearest: newest,
	}
	for _, known := range Versions() {
		if strings.HasPrefix(known, version) { // 1.3 is more likely a typing mistake than a cluster
			err.Nearest = known
			return err
		}
	}
	var minor int
	if n, _ := fmt.Sscanf(version, "1.%d", &minor); n == 1 && minor < minorOf(oldest) {
		err.Nearest = oldest
	}
	return err
}

// minorOf returns 36 for 1.36.
func minorOf(version string) int {
	var minor int
	if _, err := fmt.Sscanf(version, "1.%d", &minor); err != nil {
		panic("kubeversion: " + err.Error())
	}
	return minor
}

// Default returns the newest release, which is simulated unless another one is named.
func Default() *Release { return releases[0].release() }

// Versions returns the minor versions that admsim knows, newest first.
func Versions() []string {
	known := make([]string, len(releases))
	for i, r := range releases {
		known[i] = r.version
	}
	return known
}
