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
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

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

// note writes an event of the server about an object. The second one of a series becomes part of the first; later ones are
// only counted. The server tries in vain to write an event that is refused.
func (c *Controllers) note(ctx context.Context, about runtime.Object, reason, action, format string, args ...any) {
	m, err := meta.Accessor(about)
	if err != nil {
		c.failed(err)
		return
	}
	now, gvk := time.Now(), about.GetObjectKind().GroupVersionKind()
	key := noted{corev1.ObjectReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion(),
	}, reason, action}
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
			Namespace: cmp.Or(m.GetNamespace(), metav1.NamespaceDefault), Name: fmt.Sprintf("%s.%x", m.GetName(), now.UnixNano()),
		},
		EventTime: metav1.NewMicroTime(now), ReportingController: repairName, ReportingInstance: repairName + "-localhost",
		Action: action, Reason: reason, Regarding: key.regarding, Note: fmt.Sprintf(format, args...), Type: corev1.EventTypeWarning,
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
