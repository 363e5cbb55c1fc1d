package recording

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/didyoumean"
)

// A Filter chooses the records to run. The others still show what objects looked like. The zero value chooses all
// records.
type Filter struct {
	Since, Until time.Time // when the request arrived; Until is exclusive

	// One of the names in each list must match; they may contain the wildcards * and ?.
	Namespaces []string
	Resources  []string // pods, deployments.apps, pods/status
	Users      []string
	// Webhooks are names, or configuration/name. One of them must be known to have been called, or be part of the URL
	// at which a review arrived.
	Webhooks []string

	Sample float64 // run this fraction of the requests, always the same ones; 0: all
	Limit  int     // run only so many requests; 0: all
	Shard  Shard
}

// Validate returns an error if the filter is invalid.
func (f Filter) Validate() error {
	for _, patterns := range [][]string{f.Namespaces, f.Resources, f.Users, f.Webhooks} {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil {
				return fmt.Errorf("%q: %w", p, err)
			}
		}
	}
	if f.Sample < 0 || f.Sample > 1 {
		return fmt.Errorf("a sample of %g is not between 0 and 1", f.Sample)
	}
	return f.Shard.validate()
}

// refuses returns why a request that could be run is not chosen.
func (f *Filter) refuses(r *Record) Reason {
	switch {
	case !f.Since.IsZero() && r.Time.Before(f.Since):
		return Reason{Filtered, "since"}
	case !f.Until.IsZero() && !r.Time.Before(f.Until):
		return Reason{Filtered, "until"}
	case len(f.Namespaces) > 0 && !matchesAny(f.Namespaces, r.Namespace):
		return Reason{Filtered, "namespace"}
	case len(f.Resources) > 0 && !matchesAny(f.Resources, r.resourceNames()...):
		return Reason{Filtered, "resource"}
	case len(f.Users) > 0 && !matchesAny(f.Users, r.User.Username):
		return Reason{Filtered, "user"}
	case len(f.Webhooks) > 0 && !matchesAny(f.Webhooks, r.webhookNames()...):
		return Reason{Filtered, "webhook"}
	case f.Sample > 0 && f.Sample < 1 && r.dice() >= f.Sample:
		return Reason{Code: NotSampled}
	}
	return Reason{}
}

// Sees reports whether requests that f chooses may depend on what the record says about the cluster; see package replay
// on what a request finds.
func (f Filter) Sees(r *Record) bool {
	for _, e := range r.Effects {
		if e.Key.Namespace == "" || len(f.Namespaces) == 0 || matchesAny(f.Namespaces, e.Key.Namespace) {
			return true
		}
	}
	return false
}

func matchesAny(patterns []string, names ...string) bool {
	for _, p := range patterns {
		for _, name := range names {
			// In most of these names a slash is not a separator.
			if ok, _ := path.Match(strings.ReplaceAll(p, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00")); ok {
				return true
			}
		}
	}
	return false
}

func (r *Record) resourceNames() []string {
	name := r.Resource.Resource
	qualified := name + "." + r.Resource.Group
	if r.Subresource == "" {
		return []string{name, qualified}
	}
	return []string{name + "/" + r.Subresource, qualified + "/" + r.Subresource}
}

func (r *Record) webhookNames() (names []string) {
	for _, c := range r.Calls {
		names = append(names, c.Webhook, c.Configuration+"/"+c.Webhook)
	}
	if r.Webhook != "" {
		names = append(names, r.Webhook)
		names = append(names, strings.Split(r.Webhook, "/")...)
	}
	return names
}

// An Unmatched is a name in a filter that matches none of the requests that could be run.
type Unmatched struct {
	What    string // namespace, resource, user or webhook
	Pattern string
	Nearest string   // the name that was probably meant, or ""
	Known   []string // all names in the recording, if Nearest is ""
}

// names collects the names of one kind in a recording, as long as a pattern of the filter matches none of them.
type names struct {
	what     string
	of       func(*Record) []string
	patterns []string
	seen     map[string]bool
}

// manyNames limits how many names are remembered.
const manyNames = 10_000

// names returns the names to collect, one entry for each kind of name that the filter uses.
func (f Filter) names() (all []*names) {
	for _, n := range []names{
		{what: "namespace", patterns: f.Namespaces, of: func(r *Record) []string { return []string{r.Namespace} }},
		{what: "resource", patterns: f.Resources, of: (*Record).resourceNames},
		{what: "user", patterns: f.Users, of: func(r *Record) []string { return []string{r.User.Username} }},
		{what: "webhook", patterns: f.Webhooks, of: (*Record).webhookNames},
	} {
		if len(n.patterns) > 0 {
			n.patterns, n.seen = slices.Clone(n.patterns), map[string]bool{}
			all = append(all, &n)
		}
	}
	return all
}

func (n *names) note(r *Record) {
	if len(n.patterns) == 0 {
		return
	}
	for _, name := range n.of(r) {
		if name == "" || n.seen[name] {
			continue
		}
		n.patterns = slices.DeleteFunc(n.patterns, func(p string) bool { return matchesAny([]string{p}, name) })
		if len(n.seen) < manyNames {
			n.seen[name] = true
		}
	}
}

// unmatched returns the patterns that matched nothing.
func (n *names) unmatched() (all []Unmatched) {
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(n.seen)), func(name string) bool {
		rest, isPath := strings.CutPrefix(name, "/")
		return n.what == "resource" && strings.Contains(name+"/", "./") || // "pods." is pods with its empty group
			isPath && n.seen[rest]
	})
	for _, p := range n.patterns {
		u := Unmatched{What: n.what, Pattern: p, Nearest: nearest(p, known)}
		if u.Nearest == "" {
			u.Known = known
		}
		all = append(all, u)
	}
	return all
}

// nearest returns the name that p was probably meant to be. Of a name with dots, such as that of a webhook, p may be
// the first part.
func nearest(p string, known []string) string {
	first := make([]string, len(known))
	for i, name := range known {
		first[i], _, _ = strings.Cut(name, ".")
	}
	if near := didyoumean.Nearest(p, known); near != "" {
		return near
	}
	if near := didyoumean.Nearest(p, first); near != "" {
		return known[slices.Index(first, near)]
	}
	return ""
}

// dice returns a number in [0, 1) that depends only on the record.
func (r *Record) dice() float64 {
	id := r.ID
	if id == "" {
		id = fmt.Sprintf("%s@%d", r.File, r.Offset)
	}
	return float64(hash(id)>>11) / (1 << 53)
}
