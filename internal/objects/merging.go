package objects

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/pkg/kubeversion"
)

//go:embed merging.txt
var mergingText string

// A mergingIn is what some releases merge otherwise than the newest one.
type mergingIn struct {
	managedfields.Merging
	releases kubeversion.Spans
}

// mergings returns these by the names of the types.
var mergings = sync.OnceValue(func() map[string][]mergingIn {
	all := map[string][]mergingIn{}
	for line := range strings.Lines(mergingText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		m, last := mergingIn{}, len(words)-1
		if last == 3 {
			m.Field = words[1]
		}
		m.How = words[last-1]
		var err error
		if m.releases, err = kubeversion.ParseSpans(words[last]); err != nil {
			panic("objects: merging.txt: " + err.Error())
		}
		all[words[0]] = append(all[words[0]], m)
	}
	return all
})

// mergedIn returns what a release merges otherwise in a type.
func mergedIn(r *kubeversion.Release, typeName string) (all []managedfields.Merging) {
	for _, m := range mergings()[typeName] {
		if m.releases.Have(r.Minor) {
			all = append(all, m.Merging)
		}
	}
	return all
}
