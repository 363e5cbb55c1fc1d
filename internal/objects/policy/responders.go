// kubernetes/kubernetes:pkg/apis/lifecycle/validation/validation.go

package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
)

const (
	maxResponders        = 11
	heartbeatDeadline    = 20 * time.Minute
	skew                 = 30 * time.Second
	longestCompletion    = 10 * 365 * 24 * time.Hour
	firstFreePriority    = 1000
	priorityOfImperative = 100
)

var finalStates = []lifecyclev1alpha1.ResponderStateType{
	lifecyclev1alpha1.ResponderStateCanceled, lifecyclev1alpha1.ResponderStateCompleted, lifecyclev1alpha1.ResponderStateInterrupted,
}

// targets checks the states of the target responders: in the order of their priorities, one after the other becomes
// active and then reaches a final state.
func targets(s, old *lifecyclev1alpha1.EvictionStatus, isFinal bool, now time.Time) field.ErrorList {
	var errs rules.Errors
	list := s.TargetResponders
	if len(old.TargetResponders) > 0 {
		if len(list) != len(old.TargetResponders) {
			errs.Invalid(targetsPath, rules.AsInternal(list), "must preserve the same length and the same keys")
			return errs.List()
		}
		for _, prev := range old.TargetResponders {
			if !slices.ContainsFunc(list, func(t lifecyclev1alpha1.TargetResponder) bool { return t.Name == prev.Name }) {
				errs.Invalid(targetsPath, rules.AsInternal(list), "must preserve the same keys")
				return errs.List()
			}
		}
	}
	places := map[string]int{}
	for i, t := range list {
		places[t.Name] = i
	}
	if len(list) > maxResponders || len(places) != len(list) {
		return nil // declared rules report this
	}
	seq := sequenceOf(list, old.TargetResponders, isFinal)
	for i, t := range seq.sorted {
		states, reason := seq.expected(i)
		errs.Add(target{s, isFinal, now, states, reason}.check(t, targetsPath.Index(places[t.Name])))
	}
	return errs.List()
}

// A sequence has the responders in the order in which they act.
type sequence struct {
	sorted, old []lifecyclev1alpha1.TargetResponder
	active      int // the first one that was active; -1 if none
	changed     bool
	isFinal     bool
	isOver      bool // no responder acts any more
}

func sequenceOf(list, old []lifecyclev1alpha1.TargetResponder, isFinal bool) sequence {
	t := sequence{sorted: inOrder(list), old: inOrder(old), isFinal: isFinal, isOver: isFinal}
	t.active = slices.IndexFunc(t.old, func(r lifecyclev1alpha1.TargetResponder) bool {
		return r.State == lifecyclev1alpha1.ResponderStateActive
	})
	t.changed = t.active >= 0 && t.active < len(t.sorted) && t.sorted[t.active].State != lifecyclev1alpha1.ResponderStateActive
	if n := len(t.old); n > 0 {
		t.isOver = t.isOver || slices.Contains(finalStates, t.old[n-1].State)
	}
	return t
}

// expected returns the states that a responder may have, and the reason.
func (t sequence) expected(i int) (states []lifecyclev1alpha1.ResponderStateType, reason string) {
	active, inactive := []lifecyclev1alpha1.ResponderStateType{lifecyclev1alpha1.ResponderStateActive}, []lifecyclev1alpha1.ResponderStateType{lifecyclev1alpha1.ResponderStateInactive}
	const finished = "the eviction request has finished processing"
	switch {
	case i < t.active || len(t.old) > 0 && t.active < 0 && t.isOver:
		return []lifecyclev1alpha1.ResponderStateType{t.old[i].State}, "final state is immutable"
	case i == t.active && t.changed:
		return finalStates, "this responder must reach a final state"
	case i == t.active && t.isFinal:
		return finalStates, finished
	case i == t.active:
		return active, "the eviction request stays active"
	case i == 0 && len(t.old) == 0 || i == t.active+1 && t.changed:
		if t.isFinal {
			return inactive, finished
		}
		return active, "this responder is next in line"
	}
	return inactive, "the previously active has not finished processing"
}

// A target checks that a responder has one of some states.
type target struct {
	status  *lifecyclev1alpha1.EvictionStatus
	isFinal bool
	now     time.Time
	states  []lifecyclev1alpha1.ResponderStateType
	reason  string
}

func (k target) check(t lifecyclev1alpha1.TargetResponder, at *field.Path) field.ErrorList {
	var errs rules.Errors
	i := slices.IndexFunc(k.status.Responders, func(r lifecyclev1alpha1.ResponderStatus) bool { return r.Name == t.Name })
	if i < 0 {
		errs.Invalid(at, rules.AsInternal(t), fmt.Sprintf("%q has to be tracked in %s first", t.Name, respondersPath))
		return errs.List()
	}
	if p := t.Priority; p != nil && *p >= 0 {
		switch {
		case t.Name == lifecyclev1alpha1.EvictionResponderImperativeEviction:
			errs.Add(rules.Unless(*p == priorityOfImperative, at.Child("priority"), *p, fmt.Sprintf("core k8s responder is expected to have priority: %d", priorityOfImperative)))
		case *p < firstFreePriority:
			errs.Invalid(at.Child("priority"), *p, "priorities 0-999 are reserved for responders with *.k8s.io suffix")
		}
	}
	at = at.Child("state")
	if !slices.Contains(k.states, t.State) {
		var names []string
		for _, s := range k.states {
			names = append(names, string(s))
		}
		errs.Invalid(at, t.State, fmt.Sprintf("must be one of: %s, because %s", strings.Join(names, ", "), k.reason))
		return errs.List()
	}
	cur := k.status.Responders[i]
	if t.State != lifecyclev1alpha1.ResponderStateActive && cur.StartTime != nil && cur.CompletionTime == nil && !k.isFinal {
		beat := cur.StartTime
		if cur.HeartbeatTime != nil {
			beat = cur.HeartbeatTime
		}
		if k.now.Before(beat.Add(heartbeatDeadline - skew)) {
			errs.Forbidden(at, fmt.Sprintf("must stay Active because the responder is in progress and it should report %s or %s", respondersPath.Child("heartbeatTime"), respondersPath.Child("completionTime")))
		}
	}
	if t.State == lifecyclev1alpha1.ResponderStateCompleted && cur.CompletionTime == nil {
		errs.Invalid(at, t.State, fmt.Sprintf("cannot become Completed because the responder didn't report %s", respondersPath.Child("completionTime")))
	}
	return errs.List()
}

// inOrder sorts responders by the order in which they act.
func inOrder(list []lifecyclev1alpha1.TargetResponder) []lifecyclev1alpha1.TargetResponder {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b lifecyclev1alpha1.TargetResponder) int {
		if c := byPriority(a.Priority, b.Priority); c != 0 {
			return c
		}
		x, keyX := domainOf(a.Name)
		y, keyY := domainOf(b.Name)
		return cmp.Or(slices.Compare(x, y), strings.Compare(keyX, keyY))
	})
	return list
}

func byPriority(a, b *int32) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*b, *a)
}

// domainOf returns the labels of the domain of a name, last one first, and the key in the domain.
func domainOf(name string) (labels []string, key string) {
	domain, key, _ := strings.Cut(name, "/")
	labels = strings.Split(domain, ".")
	slices.Reverse(labels)
	return labels, key
}

// responders checks what responders report about themselves.
func responders(s, old *lifecyclev1alpha1.EvictionStatus, now time.Time) field.ErrorList {
	var errs rules.Errors
	list := s.Responders
	if len(s.TargetResponders) != len(list) {
		errs.Invalid(respondersPath, rules.AsInternal(list), "must be the same length as status.targetResponders and contain the same keys")
		return errs.List()
	}
	names := map[string]bool{}
	for _, r := range list {
		names[r.Name] = true
	}
	states := map[string]lifecyclev1alpha1.ResponderStateType{}
	for _, t := range s.TargetResponders {
		states[t.Name] = t.State
		if !names[t.Name] {
			errs.Invalid(respondersPath, rules.AsInternal(list), "must contain the same keys as status.targetResponders")
			return errs.List()
		}
	}
	if len(list) > maxResponders || len(names) != len(list) {
		return nil // declared rules report this
	}
	for i := range list {
		var prev *lifecyclev1alpha1.ResponderStatus
		if j := slices.IndexFunc(old.Responders, func(r lifecyclev1alpha1.ResponderStatus) bool { return r.Name == list[i].Name }); j >= 0 {
			prev = &old.Responders[j]
		}
		errs.Add(responder(&list[i], prev, states[list[i].Name] == lifecyclev1alpha1.ResponderStateActive, now, respondersPath.Index(i)))
	}
	return errs.List()
}

func responder(cur, old *lifecyclev1alpha1.ResponderStatus, isActive bool, now time.Time, at *field.Path) field.ErrorList {
	prev := lifecyclev1alpha1.ResponderStatus{}
	if old != nil {
		prev = *old
		if !isActive && !semantic.DeepEqual(cur, old) {
			return field.ErrorList{field.Invalid(at, rules.AsInternal(*cur), "field is immutable")}
		}
	}
	k := times{cur.StartTime, at.Child("startTime"), now}
	var errs rules.Errors
	switch {
	case prev.StartTime != nil && !prev.StartTime.Equal(cur.StartTime): // declared rules report this
	case cur.StartTime == nil && isActive:
		errs.Required(k.at, "is required for an active responder")
	case cur.StartTime != nil && !prev.StartTime.Equal(cur.StartTime) && !k.isNear(cur.StartTime):
		errs.Invalid(k.at, cur.StartTime, "must be set to the present time")
	}
	beat := at.Child("heartbeatTime")
	if prev.HeartbeatTime != nil && cur.HeartbeatTime == nil {
		errs.Required(beat, "is required once set")
	}
	if t := cur.HeartbeatTime; t != nil && !prev.HeartbeatTime.Equal(t) {
		switch wrong := k.wrong(t); {
		case cur.StartTime != nil && t.Before(prev.HeartbeatTime):
			errs.Invalid(beat, t, "cannot be decreased")
		case wrong != "":
			errs.Invalid(beat, t, wrong)
		case !k.isNear(t):
			errs.Invalid(beat, t, "must be set to the present time")
		}
	}
	if t, at := cur.ExpectedCompletionTime, at.Child("expectedCompletionTime"); t != nil && !prev.ExpectedCompletionTime.Equal(t) {
		switch wrong := k.wrong(t); {
		case wrong != "":
			errs.Invalid(at, t, wrong)
		case t.Time.Before(now.Add(-skew)):
			errs.Invalid(at, t, "cannot be set to the past time")
		case t.After(now.Add(longestCompletion)):
			errs.Invalid(at, t, "must complete within 10 years")
		}
	}
	if t, at := cur.CompletionTime, at.Child("completionTime"); t != nil && (prev.CompletionTime == nil || prev.CompletionTime.Equal(t)) {
		switch wrong := k.wrong(t); {
		case wrong != "":
			errs.Invalid(at, t, wrong)
		case !prev.CompletionTime.Equal(t) && !k.isNear(t):
			errs.Invalid(at, t, "must be set to the present time")
		}
	}
	return errs.List()
}

// times checks the times of a responder against its start and the current time.
type times struct {
	start *metav1.Time
	at    *field.Path
	now   time.Time
}

// wrong returns why a time does not come after the start, or "".
func (k times) wrong(t *metav1.Time) string {
	switch {
	case k.start == nil:
		return fmt.Sprintf("cannot be set before %s is set", k.at)
	case t.Before(k.start):
		return fmt.Sprintf("must occur after %s", k.at)
	}
	return ""
}

func (k times) isNear(t *metav1.Time) bool {
	return t.After(k.now.Add(-skew)) && t.Time.Before(k.now.Add(skew))
}
