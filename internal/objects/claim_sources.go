package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Up to 1.30, what a claim of a pod stands for is one level further down, in `source`, which is
// always written: kubernetes/api@v0.30.0:core/v1/types.go, PodResourceClaim. The Go types are those
// of later releases, so the fields are moved when an object is read and when it is written.
const claimSource = "source"

// claimSources are the fields of claims that a release has in their source, and the types beside it.
type claimSources struct{ fields []laterField }

// claimSourcesIn takes them out of the fields that a kind does not have, or not quite. Where a release has
// no claims at all, there are none.
func claimSourcesIn(later []laterField, r *kubeversion.Release) (s claimSources, others []laterField) {
	isSource := func(f laterField) bool {
		n := len(f.path)
		return n >= 3 && f.path[n-3].name == "resourceClaims" && strings.HasPrefix(f.path[n-1].name, "resourceClaim")
	}
	hasNoClaims := func(f laterField) bool { return f.path[len(f.path)-1].name == "resourceClaims" && !r.Knows(f.Field) }
	if slices.ContainsFunc(later, hasNoClaims) {
		return s, later
	}
	for _, f := range later {
		if isSource(f) {
			s.fields = append(s.fields, f)
		} else {
			others = append(others, f)
		}
	}
	return s, others
}

// moveUp moves what is in sources to where the types have it. It returns the fields in sources that
// do not exist, and whether there was any source.
func (s claimSources) moveUp(tree any) (unknown []string, found bool) {
	names := s.names()
	s.each(tree, func(claim map[string]any, at string) {
		source, ok := claim[claimSource].(map[string]any)
		if !ok {
			return // decoding says what is wrong with it
		}
		found = true
		delete(claim, claimSource)
		for _, name := range slices.Sorted(maps.Keys(source)) {
			if slices.Contains(names, name) {
				claim[name] = source[name]
			} else {
				unknown = append(unknown, at+"."+claimSource+"."+name)
			}
		}
	})
	return unknown, found
}

// moveDown gives every claim a source, with what the types have beside it.
func (s claimSources) moveDown(tree any) {
	names := s.names()
	s.each(tree, func(claim map[string]any, _ string) {
		source := map[string]any{}
		for _, name := range names {
			if value, ok := claim[name]; ok {
				source[name] = value
				delete(claim, name)
			}
		}
		claim[claimSource] = source
	})
}

// names are those of the fields in a source.
func (s claimSources) names() (names []string) {
	for _, f := range s.fields {
		if name := f.path[len(f.path)-1].name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// each calls do with every claim in a tree, and with where it is.
func (s claimSources) each(tree any, do func(claim map[string]any, at string)) {
	var done [][]step
	for _, f := range s.fields {
		claims := f.path[:len(f.path)-2]
		if !slices.ContainsFunc(done, func(d []step) bool { return slices.Equal(d, claims) }) {
			eachClaim(tree, claims, "", do)
			done = append(done, claims)
		}
	}
}

func eachClaim(tree any, path []step, at string, do func(claim map[string]any, at string)) {
	if len(path) > 0 {
		if object, ok := tree.(map[string]any); ok {
			eachClaim(object[path[0].name], path[1:], strings.TrimPrefix(at+"."+path[0].name, "."), do)
		}
		return
	}
	claims, _ := tree.([]any)
	for i, claim := range claims {
		if c, ok := claim.(map[string]any); ok {
			do(c, fmt.Sprintf("%s[%d]", at, i))
		}
	}
}

// decoded is the JSON of an object of which no field is looked for, with what is in sources moved up.
func (s claimSources) decoded(data []byte) []byte {
	return s.moved(data, claimSource, func(tree any) bool {
		_, found := s.moveUp(tree)
		return found
	})
}

// encoded is the JSON of an object as the release writes it.
func (s claimSources) encoded(data []byte) []byte {
	return s.moved(data, "resourceClaims", func(tree any) bool {
		s.moveDown(tree)
		return true
	})
}

// moved is JSON in which move was at work, if it has that member anywhere.
func (s claimSources) moved(data []byte, member string, move func(tree any) bool) []byte {
	if len(s.fields) == 0 || !bytes.Contains(data, []byte(`"`+member+`"`)) {
		return data
	}
	var tree any
	if json.Unmarshal(data, &tree) != nil || !move(tree) {
		return data // decoding says what is wrong with it
	}
	moved, err := json.Marshal(tree)
	if err != nil {
		panic("objects: what was JSON is none: " + err.Error())
	}
	return moved
}
