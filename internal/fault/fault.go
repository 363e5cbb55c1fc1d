// Package fault defines faults between clients and an API server: which requests a fault hits, and what it does to
// them.
//
// A [Rule] is one fault. A [Plan] counts requests and decides which of them are hit; the same requests in the same
// order always give the same result. The server of the requests applies the faults.
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Kind is a kind of fault.
type Kind string

// The kinds. Those of watches apply after some events.
const (
	Conflict    Kind = "conflict"    // 409, as if somebody else had just changed the object
	Throttled   Kind = "throttled"   // 429 with Retry-After, as priority and fairness answers
	Unavailable Kind = "unavailable" // 503
	Timeout     Kind = "timeout"     // 504
	Error       Kind = "error"       // 500; of a watch with events, an ERROR event
	Expired     Kind = "expired"     // 410: a list or watch of a forgotten version
	Closed      Kind = "closed"      // the connection breaks, and nothing is executed
	Lost        Kind = "lost"        // the request is executed, but the answer is lost
	Stalled     Kind = "stalled"     // no answer, or no further event, until the client gives up
	Ended       Kind = "ended"       // a watch ends, as after its timeout
)

var kinds = []Kind{Conflict, Throttled, Unavailable, Timeout, Error, Expired, Closed, Lost, Stalled, Ended}

// ofWatches holds the kinds that can hit a watch after it has begun.
var ofWatches = []Kind{Error, Expired, Closed, Stalled, Ended}

// Kinds returns the names of all kinds.
func Kinds() []string { return names(kinds) }

func names(of []Kind) (all []string) {
	for _, k := range of {
		all = append(all, string(k))
	}
	return all
}

// watch is the verb of watches.
const watch = "watch"

// Verbs holds the verbs of requests for resources.
var Verbs = []string{"get", "list", watch, "create", "update", "patch", "delete", "deletecollection"}

// A Rule is a fault and the requests that it hits. Each of the first five fields matches everything if it is empty.
type Rule struct {
	Verbs      []string
	Resources  []string // name[.group][/subresource], globs; * alone is all, with subresources
	Namespaces []string // globs
	Names      []string // globs
	Users      []string // globs

	Kind       Kind          // empty: the answer is only delayed
	Latency    time.Duration // before the answer
	RetryAfter int           // seconds, for throttled and unavailable; 0: 1 for throttled, none for unavailable
	Events     int           // of a watch, before it is hit

	After int // number of matching requests that are not hit at first
	Every int // of those that follow, every Every-th is hit; 0: all
	Times int // maximum number of hits; 0: unlimited

	Source string // where the rule was written
}

// Check returns an error if a rule is invalid, and the key that the error is about.
func (r Rule) Check() (key string, err error) {
	if r.Kind != "" && !slices.Contains(kinds, r.Kind) {
		return "fault", fmt.Errorf("%q is unknown", string(r.Kind))
	}
	if r.Kind == "" && r.Latency == 0 {
		return "", errors.New("nothing happens: give it a fault or a latency")
	}
	for _, verb := range r.Verbs {
		if verb != "*" && !slices.Contains(Verbs, verb) {
			return "verbs", fmt.Errorf("unknown verb %q", verb)
		}
	}
	for key, patterns := range map[string][]string{"resources": r.Resources, "namespaces": r.Namespaces, "names": r.Names, "users": r.Users} {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				return key, fmt.Errorf("%q is no pattern", p)
			}
		}
	}
	watches := len(r.Verbs) > 0 && !slices.ContainsFunc(r.Verbs, func(v string) bool { return v != watch })
	switch {
	case r.RetryAfter != 0 && r.Kind != Throttled && r.Kind != Unavailable:
		return "retryAfter", errors.New("only throttled and unavailable have one")
	case r.Kind == Ended && !watches:
		return "verbs", errors.New("only a watch ends: the verbs have to be watch alone")
	case r.Events != 0 && !watches:
		return "events", errors.New("only a watch has events: the verbs have to be watch alone")
	case r.Events != 0 && !slices.Contains(ofWatches, r.Kind):
		return "events", fmt.Errorf("after events, the fault is one of %s", strings.Join(names(ofWatches), ", "))
	}
	return "", nil
}

// Breaks reports whether the rule hits a watch after it has begun.
func (r Rule) Breaks() bool { return slices.Contains(ofWatches, r.Kind) }

// A Request is the part of a request that rules can match.
type Request struct {
	Verb                  string
	Resource              schema.GroupResource
	Subresource           string
	Namespace, Name, User string
}

// concerns reports whether a request matches the rule, whether or not it is hit.
func (r Rule) concerns(q Request) bool {
	return (len(r.Verbs) == 0 || slices.Contains(r.Verbs, "*") || slices.Contains(r.Verbs, q.Verb)) &&
		(len(r.Resources) == 0 || slices.ContainsFunc(r.Resources, func(p string) bool { return isResource(p, q) })) &&
		fits(r.Namespaces, q.Namespace) && fits(r.Names, q.Name) && fits(r.Users, q.User)
}

func fits(patterns []string, text string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return matches(p, text) })
}

// matches matches globs in which a slash is an ordinary character.
func matches(pattern, text string) bool {
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(text, "/", slash))
	return ok && err == nil
}

// SplitResource splits a pattern of resources; the group is * if the pattern has none.
func SplitResource(pattern string) (name, group, subresource string) {
	pattern, subresource, _ = strings.Cut(pattern, "/")
	name, group, given := strings.Cut(pattern, ".")
	if !given {
		group = "*"
	}
	return name, group, subresource
}

func isResource(pattern string, q Request) bool {
	if pattern == "*" {
		return true
	}
	name, group, subresource := SplitResource(pattern)
	return matches(name, q.Resource.Resource) && matches(group, q.Resource.Group) &&
		(subresource == "") == (q.Subresource == "") && matches(subresource, q.Subresource)
}

// A Plan is a list of rules with their counters. It is safe for concurrent use.
type Plan struct {
	mutex sync.Mutex
	rules []Rule
	met   []int // number of requests that matched each rule
	hit   []int
}

// New returns the plan for some rules.
func New(rules ...Rule) *Plan {
	return &Plan{rules: rules, met: make([]int, len(rules)), hit: make([]int, len(rules))}
}

// Next counts a request, and returns the first rule that hits it. A nil plan hits nothing.
func (p *Plan) Next(q Request) (r Rule, hit bool) {
	if p == nil {
		return Rule{}, false
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for i := range p.rules {
		one := &p.rules[i]
		if !one.concerns(q) {
			continue
		}
		p.met[i]++
		n := p.met[i] - one.After
		if hit || n <= 0 || n%max(one.Every, 1) != 0 || one.Times > 0 && p.hit[i] >= one.Times {
			continue
		}
		p.hit[i]++
		r, hit = *one, true
	}
	return r, hit
}

// Unmet returns the rules that no request has matched.
func (p *Plan) Unmet() (rules []Rule) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for i := range p.rules {
		if p.met[i] == 0 {
			rules = append(rules, p.rules[i])
		}
	}
	return rules
}

// Answer returns the server's answer to a request that is hit. If status is nil, the answer is text. Both are empty for
// faults without an answer.
func (r Rule) Answer(q Request) (status *metav1.Status, text string) {
	const onPurpose = "this error is a fault that admsim makes on request"
	switch r.Kind {
	case Conflict: // kubernetes/apiserver:pkg/registry/generic/registry/store.go, OptimisticLockErrorMsg
		err := apierrors.NewConflict(q.Resource, q.Name, errors.New("the object has been modified; please apply your changes to the latest version and try again"))
		return &err.ErrStatus, ""
	case Throttled: // kubernetes/apiserver:pkg/server/filters/priority-and-fairness.go
		return nil, "Too many requests, please try again later.\n"
	case Unavailable:
		err := apierrors.NewServiceUnavailable(onPurpose)
		if r.RetryAfter > 0 {
			err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(r.RetryAfter)}
		}
		return &err.ErrStatus, ""
	case Timeout: // kubernetes/apiserver:pkg/endpoints/handlers/finisher/finisher.go
		err := apierrors.NewTimeoutError("request did not complete within requested timeout - context deadline exceeded", 0)
		return &err.ErrStatus, ""
	case Error:
		err := apierrors.NewInternalError(errors.New(onPurpose))
		return &err.ErrStatus, ""
	case Expired: // kubernetes/apiserver:pkg/storage/etcd3/errors.go
		err := apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
		return &err.ErrStatus, ""
	}
	return nil, ""
}

// Code returns the status code of an answer that is plain text.
func (r Rule) Code() int { return http.StatusTooManyRequests }

// Wait returns the seconds after which a throttled client may retry.
func (r Rule) Wait() int { return cmp.Or(r.RetryAfter, 1) }
