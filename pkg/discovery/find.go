package discovery

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
)

// Find returns the resource and subresource that words refer to, as kubectl understands them. A resource is identified
// by its name, singular, short name or kind, in upper or lower case (pods, pod, po, Pod). Its group, or the beginning
// of it, follows after a dot (deployments.apps, ingresses.networking). A version comes between the two
// (deployments.v1.apps) or after a slash (widgets.example.com/v1), and a subresource after the last slash
// (deploy/scale, pods/exec).
func (rs *Resources) Find(words string) (r Resource, subresource string, err error) {
	q := parseQuery(words)
	var found []Resource
	for _, r := range rs.served() {
		if q.matches(r) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 0:
		return Resource{}, "", rs.unknown(words, q)
	case q.subresource == "":
		return found[0], "", nil
	}
	for _, r := range found {
		if _, ok := r.Subresources[q.subresource]; ok {
			return r, q.subresource, nil
		}
	}
	return Resource{}, "", rs.noSubresource(found[0], q.subresource)
}

// A query is what Find searches for. One of the tails has to match: the text after the first dot may be a group, or a
// version and a group.
type query struct {
	name        string
	tails       []tail
	version     string // after a slash
	subresource string
}

type tail struct{ version, group string }

var versionForm = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

func parseQuery(words string) query {
	parts := strings.Split(words, "/")
	q := query{}
	var behind string
	var dotted bool
	q.name, behind, dotted = strings.Cut(strings.ToLower(parts[0]), ".")
	if dotted {
		q.tails = append(q.tails, tail{group: behind})
		if version, group, _ := strings.Cut(behind, "."); versionForm.MatchString(version) {
			q.tails = append(q.tails, tail{version, group})
		}
	}
	parts = parts[1:]
	if len(parts) > 0 && versionForm.MatchString(parts[0]) {
		q.version, parts = parts[0], parts[1:]
	}
	q.subresource = strings.Join(parts, "/")
	return q
}

func (q query) matches(r Resource) bool {
	if q.version != "" && q.version != r.Version {
		return false
	}
	if !q.names(r) {
		return false
	}
	return len(q.tails) == 0 || slices.ContainsFunc(q.tails, func(t tail) bool {
		if t.version != "" && t.version != r.Version {
			return false
		}
		return t.group == r.Group || t.group != "" && strings.HasPrefix(r.Group, t.group+".")
	})
}

func (q query) names(r Resource) bool {
	return q.name == r.Resource || q.name == r.Singular || q.name == strings.ToLower(r.Kind.Kind) ||
		slices.Contains(r.ShortNames, q.name)
}

// served returns the resources that are served, preferred versions first.
func (rs *Resources) served() []Resource {
	return slices.DeleteFunc(rs.All(), func(r Resource) bool { return !r.Served })
}

func (rs *Resources) unknown(words string, q query) error {
	e := &didyoumean.UnknownError{Problem: fmt.Sprintf("Kubernetes %s and the cluster's CRDs have no resource %q", rs.release.Version, words), Else: Undefined}
	var known, short, elsewhere []string
	named := map[string]string{} // by short name
	for _, r := range rs.served() {
		if q.names(r) {
			elsewhere = append(elsewhere, r.name())
		}
		known = append(known, r.Resource, r.Singular)
		for _, name := range r.ShortNames {
			if named[name] == "" && len(name) > 2 { // every short word is near the others
				named[name], short = r.Resource, append(short, name)
			}
		}
	}
	if len(elsewhere) > 0 { // the name is right, its group or version is not
		e.Nearest = elsewhere[0]
		return e
	}
	if e.Nearest = didyoumean.Nearest(q.name, known); e.Nearest == "" {
		e.Nearest = named[didyoumean.Nearest(q.name, short)]
	}
	return e
}

func (rs *Resources) noSubresource(r Resource, name string) error {
	var known []string
	for sub := range r.Subresources {
		known = append(known, sub)
	}
	slices.Sort(known)
	e := &didyoumean.UnknownError{Problem: fmt.Sprintf("%s has no subresource %q", r.name(), name)}
	flags, others := rs.release.SubresourceServed(r.GroupVersionResource, name)
	if flags != "" {
		e.Else = "it is served with " + flags
	} else if others != "" {
		e.Else = fmt.Sprintf("it is served by Kubernetes %s: see --kubernetes-version", others)
	} else if near := didyoumean.Nearest(name, known); near != "" {
		e.Nearest = r.Resource + "/" + near
	} else if len(known) > 0 {
		e.Problem += ", only " + strings.Join(known, ", ")
	}
	return e
}

// name returns the name for which Find returns this resource in this version.
func (r Resource) name() string {
	if r.Group == "" {
		return r.Resource + "/" + r.Version
	}
	return r.Resource + "." + r.Group + "/" + r.Version
}
