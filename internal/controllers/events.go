package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// seriesEnd is how long the same thing has not happened again when a series of events ends:
// kubernetes/client-go:tools/events/event_broadcaster.go.
const seriesEnd = 6 * time.Minute

// noted is what the events of a series have in common, apart from their message.
type noted struct {
	regarding      corev1.ObjectReference
	reason, action string
}

// A notedEvent is the first event of a series.
type notedEvent struct {
	event *eventsv1.Event
	last  time.Time
	count int
}

// referenceTo returns a reference to an object in the version in which the server sees it.
func referenceTo(kind schema.GroupVersionKind, m metav1.Object) corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion(),
	}
}

// eventName returns the name of an event about an object:
// kubernetes/client-go:tools/record/util/util.go, GenerateEventName. Before, the server tried in vain to write an event about
// an IPv6 address.
func eventName(about string, now time.Time, r *kubeversion.Release) string {
	name := fmt.Sprintf("%s.%x", about, now.UnixNano())
	if r.Has(kubeversion.EventNamesValid) && len(validation.NameIsDNSSubdomain(name, false)) > 0 {
		return string(uuid.NewUUID())
	}
	return name
}

// recordEvent writes an event of the controller that repairs IPAddresses. The second one of a series becomes part of the
// first; later ones are only counted. The server tries in vain to write an event that is refused.
func (c *Controllers) recordEvent(ctx context.Context, regarding corev1.ObjectReference, reason, action, note string) {
	now, key := time.Now(), noted{regarding, reason, action}
	series := c.repairs.noted[key]
	if series != nil && now.Sub(series.last) < seriesEnd {
		series.last = now
		if series.count++; series.count == 2 {
			c.noteAgain(ctx, series.event, now)
		}
		return
	}
	event := &eventsv1.Event{
		TypeMeta: metav1.TypeMeta{APIVersion: eventsv1.SchemeGroupVersion.String(), Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cmp.Or(regarding.Namespace, metav1.NamespaceDefault), Name: eventName(regarding.Name, now, c.store.Latest().Release()),
		},
		EventTime: metav1.NewMicroTime(now), ReportingController: repairName, ReportingInstance: repairName + "-localhost",
		Action: action, Reason: reason, Regarding: regarding, Note: note, Type: corev1.EventTypeWarning,
	}
	maps.DeleteFunc(c.repairs.noted, func(_ noted, n *notedEvent) bool { return now.Sub(n.last) >= seriesEnd })
	c.repairs.noted[key] = &notedEvent{event, now, 1}
	req, ok := c.about(event, eventsv1.SchemeGroupVersion.WithResource("events"), rest.Request{}.ByServer().User)
	if !ok {
		return
	}
	req.Verb, req.Name = rest.Create, ""
	if _, err := c.send(ctx, req.ByServer()); err != nil {
		c.failed(err)
	}
}

// noteAgain makes an event a series.
func (c *Controllers) noteAgain(ctx context.Context, e *eventsv1.Event, now time.Time) {
	e.Series = &eventsv1.EventSeries{Count: 2, LastObservedTime: metav1.NewMicroTime(now)}
	body, err := json.Marshal(map[string]any{"series": e.Series})
	if err != nil {
		c.failed(err)
		return
	}
	req := rest.Request{
		Verb: rest.Patch, PatchType: rest.StrategicPatch, Resource: eventsv1.SchemeGroupVersion.WithResource("events"), Namespace: e.Namespace, Name: e.Name, Body: body,
	}
	if _, err := c.send(ctx, req.ByServer()); err != nil {
		c.failed(err)
	}
}
