// kubernetes/kubernetes:pkg/apis/core/validation/events.go

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
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The maximum lengths of texts in an event.
const (
	maxEventWord = 128
	maxEventNote = 1024
)

// isNewEvent reports whether an event is written in the version with strict checks.
func isNewEvent(r rules.Request) bool {
	return r.Resource.Group == "events.k8s.io" && r.Resource.Version == "v1"
}

// validateEvent checks an event: kubernetes/kubernetes:pkg/apis/core/validation/events.go.
func validateEvent(e *corev1.Event, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(anyEvent(e, r))
	if r.Old != nil || !isNewEvent(r) {
		return errs.List()
	}
	errs.Add(validation.ValidateObjectMeta(&e.ObjectMeta, true, rules.DNSSubdomain, rules.MetadataPath))
	errs.Add(rules.ValidateFinalizers(e))
	errs.Add(eventSeries(e))
	if e.EventTime.IsZero() {
		errs.Required(field.NewPath("eventTime"), "")
	}
	errs.Add(rules.Unless(e.Type == corev1.EventTypeNormal || e.Type == corev1.EventTypeWarning, field.NewPath("type"), "", "has invalid value: "+e.Type))
	errs.Add(rules.Unless(e.FirstTimestamp.IsZero(), field.NewPath("firstTimestamp"), "", "needs to be unset"))
	errs.Add(rules.Unless(e.LastTimestamp.IsZero(), field.NewPath("lastTimestamp"), "", "needs to be unset"))
	errs.Add(rules.Unless(e.Count == 0, field.NewPath("count"), "", "needs to be unset"))
	errs.Add(rules.Unless(e.Source == corev1.EventSource{}, field.NewPath("source"), "", "needs to be unset"))
	return errs.List()
}

func eventSeries(e *corev1.Event) field.ErrorList {
	if e.Series == nil {
		return nil
	}
	var errs rules.Errors
	errs.Add(rules.Unless(e.Series.Count >= 2, field.NewPath("series.count"), "", "should be at least 2"))
	if e.Series.LastObservedTime.IsZero() {
		errs.Required(field.NewPath("series.lastObservedTime"), "")
	}
	return errs.List()
}

// anyEvent checks the rules for events of both versions. An event without an event time is of the old kind.
func anyEvent(e *corev1.Event, r rules.Request) field.ErrorList {
	const elsewhere = "does not match event.namespace"
	namespace := e.InvolvedObject.Namespace
	inCluster := e.Namespace == "" || e.Namespace == metav1.NamespaceDefault
	fits := namespace == "" && inCluster || namespace == e.Namespace
	if !e.EventTime.IsZero() {
		inDefault := e.Namespace == metav1.NamespaceDefault && r.Release.Has(kubeversion.ClusterEventsInDefault)
		fits = namespace != "" || inDefault || e.Namespace == metav1.NamespaceSystem
	}
	var errs rules.Errors
	errs.Add(rules.Unless(fits, field.NewPath("involvedObject", "namespace"), namespace, elsewhere))
	if !e.EventTime.IsZero() {
		errs.Add(reportedEvent(e, r))
	}
	if !r.Release.Has(kubeversion.EventNamespaceOnce) {
		errs.Add(rules.Faults(field.NewPath("namespace"), e.Namespace, rules.DNS1123Subdomain(e.Namespace)))
	}
	return errs.List()
}

func reportedEvent(e *corev1.Event, r rules.Request) field.ErrorList {
	controller := field.NewPath("reportingController")
	if r.Resource.Group == "" && r.Release.Has(kubeversion.EventFieldsOfVersion) {
		controller = field.NewPath("reportingComponent")
	}
	instance := "reportingInstance"
	if !r.Release.Has(kubeversion.EventInstanceSpelled) {
		instance = "repotingIntance"
	}
	var errs rules.Errors
	errs.Add(rules.Required(e.ReportingController, controller))
	errs.Add(rules.QualifiedName(e.ReportingController, controller))
	for _, w := range []struct {
		name, whenLong, value string
	}{{"reportingInstance", instance, e.ReportingInstance}, {"action", "action", e.Action}, {"reason", "reason", e.Reason}} {
		errs.Add(rules.Required(w.value, field.NewPath(w.name)))
		errs.Add(rules.Unless(len(w.value) <= maxEventWord, field.NewPath(w.whenLong), "", fmt.Sprintf("can have at most %v characters", maxEventWord)))
	}
	errs.Add(rules.Unless(len(e.Message) <= maxEventNote, field.NewPath("message"), "", fmt.Sprintf("can have at most %v characters", maxEventNote)))
	return errs.List()
}

// validateEventUpdate only allows the series of an event of the new version to change.
func validateEventUpdate(e, old *corev1.Event, r rules.Request) field.ErrorList {
	if !isNewEvent(r) {
		return nil
	}
	if !r.Release.Has(kubeversion.EventUpdatesCompared) {
		old = e
	}
	var errs rules.Errors
	errs.Add(validation.ValidateObjectMetaUpdate(&e.ObjectMeta, &old.ObjectMeta, rules.MetadataPath))
	if !semantic.DeepEqual(e.Series, old.Series) {
		errs.Add(eventSeries(e))
	}
	same := func(name string, after, before any) {
		if !semantic.DeepEqual(after, before) {
			errs.Invalid(field.NewPath(name), shownChange(after), validation.FieldImmutableErrorMsg)
		}
	}
	same("involvedObject", e.InvolvedObject, old.InvolvedObject)
	same("reason", e.Reason, old.Reason)
	same("message", e.Message, old.Message)
	same("source", e.Source, old.Source)
	same("firstTimestamp", e.FirstTimestamp, old.FirstTimestamp)
	same("lastTimestamp", e.LastTimestamp, old.LastTimestamp)
	same("count", e.Count, old.Count)
	same("reason", e.Reason, old.Reason) // it is checked twice
	same("type", e.Type, old.Type)
	if !e.EventTime.Truncate(time.Microsecond).Equal(old.EventTime.Truncate(time.Microsecond)) {
		same("eventTime", e.EventTime, old.EventTime)
	}
	same("action", e.Action, old.Action)
	same("related", e.Related, old.Related)
	same("reportingController", e.ReportingController, old.ReportingController)
	same("reportingInstance", e.ReportingInstance, old.ReportingInstance)
	return errs.List()
}

// shownChange returns a value as an error shows it: strings and numbers as they are.
func shownChange(v any) any {
	switch v.(type) {
	case string, int32:
		return v
	}
	return rules.AsInternal(v)
}
