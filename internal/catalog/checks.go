package catalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Check is a part of a server of which /healthz, /livez and /readyz say whether it is healthy.
type Check struct {
	Name   string
	Custom bool // the server of custom resources has it, too
	Listed bool // it is run with all others

	releases kubeversion.Spans
	gate     string
	readyz   bool // only
	live     bool // not readyz
}

//go:embed checks.txt
var checksText string

var allChecks = sync.OnceValue(func() []Check {
	checks, err := parseChecks(checksText)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return checks
})

func parseChecks(text string) (all []Check, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("%q has no releases", words[0])
		}
		check := Check{Name: words[0], Listed: true}
		if check.releases, err = kubeversion.ParseSpans(words[1]); err != nil {
			return nil, err
		}
		for _, word := range words[2:] {
			gate, isGate := strings.CutPrefix(word, "+")
			switch {
			case isGate:
				check.gate = gate
			case word == "readyz":
				check.readyz = true
			case word == "live":
				check.live = true
			case word == "custom":
				check.Custom = true
			case word == "unlisted":
				check.Listed = false
			default:
				return nil, fmt.Errorf("unknown word %q", word)
			}
		}
		all = append(all, check)
	}
	return all, nil
}

// Endpoints returns the paths of a release at which a server says whether it is healthy, without their slash.
func Endpoints(release *kubeversion.Release) []string {
	if release.Has(kubeversion.LivenessAndReadiness) {
		return []string{"healthz", "livez", "readyz"}
	}
	return []string{"healthz"}
}

// Checks returns the checks of an endpoint, in the order in which the server lists them.
func Checks(release *kubeversion.Release, endpoint string) []Check {
	return slices.DeleteFunc(slices.Clone(allChecks()), func(c Check) bool {
		on, known := release.Gate(c.gate)
		return !c.releases.Have(release.Minor) || c.readyz && endpoint != "readyz" || c.live && endpoint == "readyz" || known && !on
	})
}
