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

// A Filter chooses records. The others still show what objects looked like. The zero
// value chooses all.
type Filter struct {
	Since, Until time.Time // by when the request came; Until is no longer chosen

	// Names are those of which one has to fit; * and ? in them stand for other characters.
	Namespaces []string
	Resources  []string // pods, deployments.apps, pods/status
	Users      []string
	// Webhooks are names, or configuration/name: one of them is known to have been called,
	// or is part of the URL under which a review came.
	Webhooks []string

	Sample float64 // this fraction of the requests, always the same ones; 0: all
	Limit  int     // the first so many requests that run; 0: all
	Shard  Shard
}

// Validate says what is wrong with the filter.
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

// refuses says why a request that could be run is not chosen.
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

// Sees reports whether requests that f chooses may find what the record says of the cluster:
// see package replay, of what a request finds.
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
			// A slash is no separator in most of these names.
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

// An Unmatched is a name of a filter that fits none of the requests that could be run.
type Unmatched struct {
	What    string // namespace, resource, user or webhook
	Pattern string
	Nearest string   // the name that was probably meant, or ""
	Known   []string // if there is none, the names that there are
}

// names are those of one sort in a recording, as long as a pattern of the filter fits none.
type names struct {
	what  string
	of    func(*Record) []string
	unfit []string
	seen  map[string]bool
}

// manyNames is how many names are remembered.
const manyNames = 10_000

// names are of each sort that the filter chooses by.
func (f Filter) names() (all []*names) {
	for _, n := range []names{
		{what: "namespace", unfit: f.Namespaces, of: func(r *Record) []string { return []string{r.Namespace} }},
		{what: "resource", unfit: f.Resources, of: (*Record).resourceNames},
		{what: "user", unfit: f.Users, of: func(r *Record) []string { return []string{r.User.Username} }},
		{what: "webhook", unfit: f.Webhooks, of: (*Record).webhookNames},
	} {
		if len(n.unfit) > 0 {
			n.unfit, n.seen = slices.Clone(n.unfit), map[string]bool{}
			all = append(all, &n)
		}
	}
	return all
}

func (n *names) note(r *Record) {
	if len(n.unfit) == 0 {
		return
	}
	for _, name := range n.of(r) {
		if name == "" || n.seen[name] {
			continue
		}
		n.unfit = slices.DeleteFunc(n.unfit, func(p string) bool { return matchesAny([]string{p}, name) })
		if len(n.seen) < manyNames {
			n.seen[name] = true
		}
	}
}

// unmatched is what is to be said of the patterns that fit nothing.
func (n *names) unmatched() (all []Unmatched) {
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(n.seen)), func(name string) bool {
		return n.what == "resource" && strings.Contains(name+"/", "./") // pods. is pods, with its empty group
	})
	for _, p := range n.unfit {
		u := Unmatched{What: n.what, Pattern: p, Nearest: didyoumean.Nearest(p, known)}
		if u.Nearest == "" {
			u.Known = known
		}
		all = append(all, u)
	}
	return all
}

// dice is a number from 0 up to 1 that depends on nothing but the record.
func (r *Record) dice() float64 {
	id := r.ID
	if id == "" {
		id = fmt.Sprintf("%s@%d", r.File, r.Offset)
	}
	return float64(hash(id)>>11) / (1 << 53)
}
