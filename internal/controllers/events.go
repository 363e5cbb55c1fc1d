package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
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

// How events of the server become series: kubernetes/client-go:tools/events/event_broadcaster.go.
const (
	seriesEnd     = 6 * time.Minute // a series ends if the same thing has not happened again; that is checked as often
	seriesRefresh = 30 * time.Minute
)

// A seriesKey is what the events of a series have in common, apart from their message.
type seriesKey struct {
	regarding      corev1.ObjectReference
	reason, action string
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
// first; later ones are only counted until the series is refreshed or ends. The server tries in vain to write an event that
// is refused.
func (c *Controllers) recordEvent(ctx context.Context, regarding corev1.ObjectReference, reason, action, note string) {
	now, key := time.Now(), seriesKey{regarding, reason, action}
	if event := c.repairs.series[key]; event != nil {
		if event.Series != nil {
			event.Series.Count++
			event.Series.LastObservedTime = metav1.NewMicroTime(now)
			return
		}
		event.Series = &eventsv1.EventSeries{Count: 2, LastObservedTime: metav1.NewMicroTime(now)}
		c.writeEvent(ctx, event)
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
	c.repairs.series[key] = event
	c.writeEvent(ctx, event)
}

// writeEvent creates an event, or writes how often it has happened. An event that is gone is created again.
func (c *Controllers) writeEvent(ctx context.Context, e *eventsv1.Event) {
	events := eventsv1.SchemeGroupVersion.WithResource("events")
	if e.Series != nil {
		body, err := json.Marshal(map[string]any{"series": e.Series})
		if err != nil {
			c.failed(err)
			return
		}
		result, err := c.send(ctx, rest.Request{
			Verb: rest.Patch, PatchType: rest.StrategicPatch, Resource: events, Namespace: e.Namespace, Name: e.Name, Body: body,
		}.ByServer())
		if err != nil {
			c.failed(err)
			return
		}
		if result.Code != http.StatusNotFound {
			return
		}
	}
	req, ok := c.about(e, events, rest.Request{}.ByServer().User)
	if !ok {
		return
	}
	req.Verb, req.Name = rest.Create, ""
	if _, err := c.send(ctx, req.ByServer()); err != nil {
		c.failed(err)
	}
}

// endSeries writes the last count of each series that has ended, now and again and again.
func (c *Controllers) endSeries(ctx context.Context) {
	c.eachSeries(ctx, func(key seriesKey, e *eventsv1.Event) {
		last := e.EventTime.Time
		if e.Series != nil {
			last = e.Series.LastObservedTime.Time
		}
		if time.Since(last) <= seriesEnd {
			return
		}
		if e.Series != nil {
			c.writeEvent(ctx, e)
		}
		delete(c.repairs.series, key)
	})
	c.later(ctx, seriesEnd, func() { c.endSeries(ctx) })
}

// refreshSeries writes the current count of each series, now and again and again.
func (c *Controllers) refreshSeries(ctx context.Context) {
	c.eachSeries(ctx, func(_ seriesKey, e *eventsv1.Event) {
		if e.Series != nil {
			c.writeEvent(ctx, e)
		}
	})
	c.later(ctx, seriesRefresh, func() { c.refreshSeries(ctx) })
}

// eachSeries calls do for each series, the first one first.
func (c *Controllers) eachSeries(ctx context.Context, do func(seriesKey, *eventsv1.Event)) {
	r := &c.repairs
	r.checking.Lock()
	defer r.checking.Unlock()
	began := func(a, b seriesKey) int { return r.series[a].EventTime.Compare(r.series[b].EventTime.Time) }
	for _, key := range slices.SortedFunc(maps.Keys(r.series), began) {
		if ctx.Err() == nil {
			do(key, r.series[key])
		}
	}
}
