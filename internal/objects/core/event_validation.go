package core

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
)

// The longest texts of an event.
const (
	maxEventWord = 128
	maxEventNote = 1024
)

// isNewEvent tells whether an event is written in the version that is strict about it.
func isNewEvent(r rules.Request) bool {
	return r.Resource.Group == "events.k8s.io" && r.Resource.Version == "v1"
}

// validateEvent checks an event: kubernetes/kubernetes:pkg/apis/core/validation/events.go.
func validateEvent(e *corev1.Event, r rules.Request) field.ErrorList {
	errs := anyEvent(e, r)
	if r.Old != nil || !isNewEvent(r) {
		return errs
	}
	errs = append(errs, validation.ValidateObjectMeta(&e.ObjectMeta, true, rules.DNSSubdomain, rules.MetadataPath)...)
	errs = append(errs, rules.ValidateFinalizers(e)...)
	errs = append(errs, eventSeries(e)...)
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	errs = append(errs, rules.Unless(e.Type == corev1.EventTypeNormal || e.Type == corev1.EventTypeWarning, field.NewPath("type"), "", "has invalid value: "+e.Type)...)
	errs = append(errs, rules.Unless(e.FirstTimestamp.IsZero(), field.NewPath("firstTimestamp"), "", "needs to be unset")...)
	errs = append(errs, rules.Unless(e.LastTimestamp.IsZero(), field.NewPath("lastTimestamp"), "", "needs to be unset")...)
	errs = append(errs, rules.Unless(e.Count == 0, field.NewPath("count"), "", "needs to be unset")...)
	return append(errs, rules.Unless(e.Source == corev1.EventSource{}, field.NewPath("source"), "", "needs to be unset")...)
}

func eventSeries(e *corev1.Event) field.ErrorList {
	if e.Series == nil {
		return nil
	}
	errs := rules.Unless(e.Series.Count >= 2, field.NewPath("series.count"), "", "should be at least 2")
	if e.Series.LastObservedTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
	}
	return errs
}

// anyEvent checks what events of both versions must keep. One without the time of the event
// is of the old sort.
func anyEvent(e *corev1.Event, r rules.Request) field.ErrorList {
	const elsewhere = "does not match event.namespace"
	of := e.InvolvedObject.Namespace
	inCluster := e.Namespace == "" || e.Namespace == metav1.NamespaceDefault
	fits := of == "" && inCluster || of == e.Namespace
	if !e.EventTime.IsZero() {
		fits = of != "" || e.Namespace == metav1.NamespaceDefault || e.Namespace == metav1.NamespaceSystem
	}
	errs := rules.Unless(fits, field.NewPath("involvedObject", "namespace"), of, elsewhere)
	if !e.EventTime.IsZero() {
		errs = append(errs, reportedEvent(e, r)...)
	}
	return append(errs, rules.Faults(field.NewPath("namespace"), e.Namespace, rules.DNS1123Subdomain(e.Namespace))...)
}

func reportedEvent(e *corev1.Event, r rules.Request) field.ErrorList {
	controller := field.NewPath("reportingController")
	if r.Resource.Group == "" {
		controller = field.NewPath("reportingComponent")
	}
	errs := append(rules.Required(e.ReportingController, controller), rules.QualifiedName(e.ReportingController, controller)...)
	for _, w := range []struct {
		name, value string
	}{{"reportingInstance", e.ReportingInstance}, {"action", e.Action}, {"reason", e.Reason}} {
		errs = append(errs, rules.Required(w.value, field.NewPath(w.name))...)
		errs = append(errs, rules.Unless(len(w.value) <= maxEventWord, field.NewPath(w.name), "", fmt.Sprintf("can have at most %v characters", maxEventWord))...)
	}
	return append(errs, rules.Unless(len(e.Message) <= maxEventNote, field.NewPath("message"), "", fmt.Sprintf("can have at most %v characters", maxEventNote))...)
}

// validateEventUpdate lets an event of the new version change in its series only.
func validateEventUpdate(e, old *corev1.Event, r rules.Request) field.ErrorList {
	if !isNewEvent(r) {
		return nil
	}
	errs := validation.ValidateObjectMetaUpdate(&e.ObjectMeta, &old.ObjectMeta, rules.MetadataPath)
	if !semantic.DeepEqual(e.Series, old.Series) {
		errs = append(errs, eventSeries(e)...)
	}
	same := func(name string, is, was any) {
		if !semantic.DeepEqual(is, was) {
			errs = append(errs, field.Invalid(field.NewPath(name), shownChange(is), validation.FieldImmutableErrorMsg))
		}
	}
	same("involvedObject", e.InvolvedObject, old.InvolvedObject)
	same("reason", e.Reason, old.Reason)
	same("message", e.Message, old.Message)
	same("source", e.Source, old.Source)
	same("firstTimestamp", e.FirstTimestamp, old.FirstTimestamp)
	same("lastTimestamp", e.LastTimestamp, old.LastTimestamp)
	same("count", e.Count, old.Count)
	same("reason", e.Reason, old.Reason) // it is asked twice
	same("type", e.Type, old.Type)
	if !e.EventTime.Truncate(time.Microsecond).Equal(old.EventTime.Truncate(time.Microsecond)) {
		same("eventTime", e.EventTime, old.EventTime)
	}
	same("action", e.Action, old.Action)
	same("related", e.Related, old.Related)
	same("reportingController", e.ReportingController, old.ReportingController)
	same("reportingInstance", e.ReportingInstance, old.ReportingInstance)
	return errs
}

// shownChange is a value as an error shows it: words and numbers as they are.
func shownChange(v any) any {
	switch v.(type) {
	case string, int32:
		return v
	}
	return rules.AsInternal(v)
}
