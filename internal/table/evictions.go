package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func evictionPrinters() map[schema.GroupKind]printer {
	lifecycle := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: lifecyclev1alpha1.GroupName, Kind: kind}
	}
	return map[schema.GroupKind]printer{
		lifecycle("EvictionRequest"): newPrinter("Name, Target, Target Type, Status, Requester, Intent, Age", func(o *lifecyclev1alpha1.EvictionRequest, now moment) []any {
			target, kind := "<unset>", "<unset>"
			if pod := o.Spec.Target.Pod; pod != nil {
				target, kind = pod.Name, "Pod"
			}
			return []any{o.Name, target, kind, evictionState(o.Status.ObservedGeneration, o.Status.Conditions), o.Spec.Requester, string(o.Spec.Intent), age(o.CreationTimestamp, now)}
		}),
		lifecycle("Eviction"): newPrinter("Name, Target, Target Type, Status, Active Responder, Responder Status, Responder Expected Finish, Requesters, Age, Responder Heartbeat, Responder Status Message", eviction),
	}
}

func evictionState(observed *int64, conditions []metav1.Condition) string {
	state := "Pending"
	if observed != nil && *observed > 0 {
		state = "Progressing"
	}
	for _, kind := range []lifecyclev1alpha1.EvictionConditionType{lifecyclev1alpha1.EvictionConditionFailed, lifecyclev1alpha1.EvictionConditionTargetEvicted} {
		if c := meta.FindStatusCondition(conditions, string(kind)); c != nil && c.Status == metav1.ConditionTrue {
			state = fmt.Sprintf("%s (%s)", c.Type, c.Reason)
		}
	}
	return state
}

func eviction(o *lifecyclev1alpha1.Eviction, now moment) []any {
	target, kind := "<unset>", "<unset>"
	if pod := o.Spec.Target.Pod; pod != nil {
		target, kind = pod.Name, "Pod"
	}
	last, asked := lastResponder(o.Status.TargetResponders)
	r := responderStatus{status: "<unset>", finish: "<unknown>", heartbeat: "<unset>", message: "<unset>"}
	name := "<unset>"
	if last != nil {
		name = last.Name
		if i := slices.IndexFunc(o.Status.Responders, func(s lifecyclev1alpha1.ResponderStatus) bool { return s.Name == name }); i >= 0 {
			r.set(last.State, o.Status.Responders[i], now)
		}
	}
	return []any{
		o.Name, target, kind, evictionState(o.Status.ObservedGeneration, o.Status.Conditions), fmt.Sprintf("%s (%d/%d)", name, asked, len(o.Status.TargetResponders)),
		r.status, r.finish, requesters(o.Status.Requesters), age(o.CreationTimestamp, now), r.heartbeat, r.message,
	}
}

// lastResponder returns the active responder, or else the last one that is done. asked is the number of responders that
// are active or done.
func lastResponder(all []lifecyclev1alpha1.TargetResponder) (last *lifecyclev1alpha1.TargetResponder, asked int) {
	var active *lifecyclev1alpha1.TargetResponder
	for i, t := range all {
		switch t.State {
		case lifecyclev1alpha1.ResponderStateActive:
			asked++
			active = &all[i]
		case lifecyclev1alpha1.ResponderStateCanceled, lifecyclev1alpha1.ResponderStateInterrupted, lifecyclev1alpha1.ResponderStateCompleted:
			asked++
			last = &all[i]
		}
	}
	return cmp.Or(active, last), asked
}

// responderStatus describes the progress of a responder.
type responderStatus struct{ status, finish, heartbeat, message string }

func (r *responderStatus) set(state lifecyclev1alpha1.ResponderStateType, s lifecyclev1alpha1.ResponderStatus, now moment) {
	r.status = string(state)
	switch state {
	case lifecyclev1alpha1.ResponderStateActive:
		if s.StartTime == nil {
			break
		}
		r.status = fmt.Sprintf("Started (%s ago)", age(*s.StartTime, now))
		if at := s.ExpectedCompletionTime; at != nil && at.After(now.Time) {
			r.finish = "in " + now.duration(at.Sub(now.Time))
		} else if at != nil {
			r.finish = age(*at, now) + " ago"
		}
	case lifecyclev1alpha1.ResponderStateCompleted:
		if s.CompletionTime != nil {
			r.status = fmt.Sprintf("%s (%s ago)", state, age(*s.CompletionTime, now))
		}
		r.finish = "-"
	default:
		r.finish = "-"
	}
	if s.HeartbeatTime != nil {
		r.heartbeat = age(*s.HeartbeatTime, now) + " ago"
	}
	if s.Message != nil {
		r.message = cmp.Or(strings.TrimSpace(*s.Message), r.message)
	}
}

func requesters(all []lifecyclev1alpha1.Requester) string {
	var names []string
	for _, r := range all {
		if r.Intent != lifecyclev1alpha1.RequesterIntentWithdrawn {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	switch {
	case len(all) == 0:
		return "<none>"
	case len(names) == 0:
		return "<withdrawn>"
	case len(names) > 1:
		return fmt.Sprintf("%s + %d more...", names[0], len(names)-1)
	}
	return names[0]
}
