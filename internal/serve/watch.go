package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
)

// shortestWatch is the minimum duration of a watch, and half of its maximum, if the client sets no timeout:
// kubernetes/apiserver:pkg/server/config.go, MinRequestTimeout.
const shortestWatch = 30 * time.Minute

// bookmarkEvery is how often an idle watch reports its version: kubernetes/apiserver:pkg/storage/cacher/cacher.go.
const bookmarkEvery = time.Minute

// A watching is a watch in progress.
type watching struct {
	*exchange
	s     *rest.Selection
	media wire.Media
	flush func()

	at     int64 // everything up to this revision was sent
	marked int64 // of the last bookmark
	rows   bool  // a Table was sent, with its columns
	events int   // number of events sent
}

// watch answers a watch request.
func (x *exchange) watch(req rest.Request) {
	name := req.Name
	if name != "" && req.Query.Get("fieldSelector") == "" { // the deprecated watch of a single object
		req.Query.Set("fieldSelector", "metadata.name="+name)
	}
	req.Name = ""
	req.Query.Set("watch", "true")
	s, media, ok := x.collection(req)
	if !ok {
		return
	}
	if name != "" && !s.IsFor(name) {
		x.status(admission.StatusOf(apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")))
		return
	}
	if resource := s.Resource(); !slices.Contains(resource.Verbs, watch) {
		x.status(admission.StatusOf(apierrors.NewMethodNotSupported(req.Resource.GroupResource(), watch)))
		return
	}
	flusher, ok := x.w.(http.Flusher)
	if !ok {
		x.unknown(fmt.Errorf("unable to start watch - can't get http.Flusher: %T", x.w))
		return
	}
	select {
	case x.watches <- struct{}{}:
		defer func() { <-x.watches }()
	default:
		x.status(admission.StatusOf(apierrors.NewTooManyRequests(fmt.Sprintf("there are %d watches already, and no more are allowed", cap(x.watches)), 1)))
		return
	}
	version, err := s.Version()
	if err != nil {
		x.status(admission.StatusOf(err))
		return
	}
	w := &watching{exchange: x, s: s, media: media, flush: flusher.Flush}
	initial, failure := w.begin(version)
	if isUnknown(failure) {
		x.unknown(failure)
		return
	}
	x.code = http.StatusOK
	x.report()
	timeout := s.Options().Timeout
	if timeout == 0 {
		timeout = time.Duration(float64(shortestWatch) * (1 + rand.Float64()))
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), timeout)
	defer cancel()
	x.w.Header().Set("Content-Type", media.StreamType())
	x.w.WriteHeader(http.StatusOK)
	w.flush()
	if failure != nil {
		_, err = w.fail(failure)
	} else {
		err = w.run(ctx, initial)
	}
	if err != nil {
		x.failed(err)
	}
}

// begin determines where a watch from a version begins, and which objects it sends first.
func (w *watching) begin(version uint64) (initial []runtime.Object, err error) {
	w.at = w.sim.State().Writes()
	o := w.s.Options()
	asked := o.InitialEvents
	if version > 0 && (asked == nil || !*asked) {
		w.at = int64(min(version, math.MaxInt64))
		return nil, nil
	}
	if asked != nil && !*asked {
		return nil, nil // from now on
	}
	w.sim = w.fresh(version)
	w.at = w.sim.State().Writes()
	if version > uint64(w.at) {
		return nil, w.s.TooLarge(version, w.at)
	}
	o.Limit, o.Continue = 0, "" // a watch has no pages
	initial, _, err = w.s.Page(o, w.sim.State(), nil)
	return initial, err
}

// run sends events until the watch ends. An error is one of admsim's own, not of the client or its connection.
func (w *watching) run(ctx context.Context, initial []runtime.Object) error {
	for _, object := range initial {
		if w.broken(ctx) {
			return nil
		}
		if ok, err := w.send(apiwatch.Added, object); !ok {
			return err
		}
	}
	if o := w.s.Options(); o.InitialEvents != nil && *o.InitialEvents && o.Bookmarks {
		if ok, err := w.bookmark(true); !ok {
			return err
		}
	}
	w.flush()
	ticker := time.NewTicker(bookmarkEvery)
	defer ticker.Stop()
	for {
		events, upTo, more, err := w.store.Since(w.at)
		if forgotten := (*store.ForgottenError)(nil); errors.As(err, &forgotten) {
			_, err := w.fail(apierrors.NewResourceExpired(forgotten.Error()))
			w.flush()
			return err
		}
		if err != nil {
			return err
		}
		for i := range events {
			if w.broken(ctx) {
				return nil
			}
			if w.redefined(&events[i]) {
				w.flush()
				return nil
			}
			if ok, err := w.event(&events[i]); !ok {
				return err
			}
			if i%256 == 255 && ctx.Err() != nil {
				return nil
			}
		}
		if len(events) > 0 {
			w.flush()
		}
		if w.broken(ctx) {
			return nil
		}
		w.at = max(w.at, upTo)
		select {
		case <-more:
		case <-ticker.C:
			if w.s.Options().Bookmarks && w.at > w.marked {
				if ok, err := w.bookmark(false); !ok {
					return err
				}
				w.flush()
			}
		case <-ctx.Done():
			return nil
		case <-w.closing:
			return nil
		}
	}
}

// event sends a write if it concerns the watch. An object that starts or stops being selected counts as added or
// deleted. ok is false if the watch has to end.
func (w *watching) event(e *store.Event) (ok bool, err error) {
	if e.GroupKind != w.s.Resource().Storage.GroupKind() || w.s.Namespace() != "" && w.s.Namespace() != e.Namespace {
		return true, nil
	}
	was, err := w.selects(e.Before)
	if err != nil {
		return false, err
	}
	is, err := w.selects(e.After)
	if err != nil {
		return false, err
	}
	switch {
	case !was && is:
		return w.sendStored(apiwatch.Added, e.After.Object)
	case was && is:
		return w.sendStored(apiwatch.Modified, e.After.Object)
	case was:
		return w.sendStored(apiwatch.Deleted, e.Last())
	}
	return true, nil
}

// redefined reports whether the definition of a custom resource changed, which ends its watches:
// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go.
func (w *watching) redefined(e *store.Event) bool {
	crd := w.s.Resource().CRD
	if crd == nil || e.Name != crd.Name || e.GroupKind != apiextensionsv1.Kind("CustomResourceDefinition") {
		return false
	}
	next, err := meta.Accessor(e.After.Object)
	return err != nil || next.GetGeneration() != crd.Generation || next.GetUID() != crd.UID
}

func (w *watching) selects(o cluster.Object) (bool, error) {
	if o.Object == nil {
		return false, nil
	}
	return w.s.Selects(o.Object)
}

func (w *watching) sendStored(kind apiwatch.EventType, stored runtime.Object) (ok bool, err error) {
	object, err := w.s.Show(stored)
	if err != nil { // usually a conversion webhook that does not answer
		return w.fail(err)
	}
	return w.sendAs(kind, object, func(runtime.Object) runtime.Object { return stored })
}

// fail sends an error, which ends the watch.
func (w *watching) fail(failure error) (ok bool, err error) {
	status := admission.StatusOf(failure)
	if isUnknown(failure) {
		status = w.undecide(failure)
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	_, err = w.send(apiwatch.Error, status)
	return false, err
}

// send sends an event; ok is false if the client is gone or the event cannot be encoded.
func (w *watching) send(kind apiwatch.EventType, object runtime.Object) (ok bool, err error) {
	return w.sendAs(kind, object, w.stored)
}

// sendAs sends an event about an object that the cluster keeps as stored returns it.
func (w *watching) sendAs(kind apiwatch.EventType, object runtime.Object, stored func(runtime.Object) runtime.Object) (ok bool, err error) {
	shown := object
	if _, isStatus := object.(*metav1.Status); !isStatus && w.media.As != "" {
		if w.media.As == wire.PartialObjectList {
			return false, nil // no event is a list, and the watch ends without a word
		}
		if w.media.As == wire.Table {
			t := w.newTable(w.media, w.s.Resource())
			t.Stored = stored
			if err := t.Add(object); err != nil {
				return false, err
			}
			made := t.Table()
			if m, err := meta.Accessor(object); err == nil {
				made.ResourceVersion = m.GetResourceVersion()
			}
			if w.rows {
				made.ColumnDefinitions = nil
			}
			w.rows, shown = true, made
		} else if shown, err = w.partial(w.media, object); err != nil {
			return false, err
		}
	}
	media := w.media
	media.Pretty = false
	data, err := media.Encode(w.sim.View().Types(), shown)
	if err != nil {
		return false, err
	}
	frame, err := media.Event(string(kind), data)
	if err != nil {
		return false, err
	}
	if kind != apiwatch.Bookmark {
		w.events++
	}
	_, err = w.w.Write(frame)
	return err == nil, nil
}

// bookmark reports the version of the watch; initial means that all initial objects have been sent.
func (w *watching) bookmark(initial bool) (ok bool, err error) {
	w.marked = w.at
	kind := w.s.Resource().Kind
	object := wire.Empty(kind, w.s.Resource().CRD != nil)
	m, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	m.SetResourceVersion(strconv.FormatInt(w.at, 10))
	if initial {
		m.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return w.send(apiwatch.Bookmark, object)
}
