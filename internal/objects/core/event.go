// kubernetes/kubernetes:pkg/registry/core/event/strategy.go
// kubernetes/kubernetes:pkg/apis/events/v1/conversion.go

package core

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

var event = rules.Of[*corev1.Event]{
	AnyFinalizer:   true, // only the new version checks metadata
	Validate:       validateEvent,
	ValidateUpdate: validateEventUpdate,
	OnUpdate:       rules.CheckNew,
	Behaviour:      rules.Behaviour{CreateOnUpdate: true},
}

// The two versions of events have the same fields with different names (CV-07).

func eventToCore(in *eventsv1.Event) *corev1.Event {
	in = in.DeepCopy()
	out := &corev1.Event{
		ObjectMeta:          in.ObjectMeta,
		InvolvedObject:      in.Regarding,
		Reason:              in.Reason,
		Message:             in.Note,
		Source:              in.DeprecatedSource,
		FirstTimestamp:      in.DeprecatedFirstTimestamp,
		LastTimestamp:       in.DeprecatedLastTimestamp,
		Count:               in.DeprecatedCount,
		Type:                in.Type,
		EventTime:           in.EventTime,
		Action:              in.Action,
		Related:             in.Related,
		ReportingController: in.ReportingController,
		ReportingInstance:   in.ReportingInstance,
	}
	if s := in.Series; s != nil {
		out.Series = &corev1.EventSeries{Count: s.Count, LastObservedTime: s.LastObservedTime}
	}
	return out
}

func eventFromCore(in *corev1.Event) *eventsv1.Event {
	in = in.DeepCopy()
	out := &eventsv1.Event{
		ObjectMeta:               in.ObjectMeta,
		Regarding:                in.InvolvedObject,
		Reason:                   in.Reason,
		Note:                     in.Message,
		DeprecatedSource:         in.Source,
		DeprecatedFirstTimestamp: in.FirstTimestamp,
		DeprecatedLastTimestamp:  in.LastTimestamp,
		DeprecatedCount:          in.Count,
		Type:                     in.Type,
		EventTime:                in.EventTime,
		Action:                   in.Action,
		Related:                  in.Related,
		ReportingController:      in.ReportingController,
		ReportingInstance:        in.ReportingInstance,
	}
	if s := in.Series; s != nil {
		out.Series = &eventsv1.EventSeries{Count: s.Count, LastObservedTime: s.LastObservedTime}
	}
	return out
}
