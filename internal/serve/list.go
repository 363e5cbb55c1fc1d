package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// freshFor is how long a list waits for a version in the future:
// kubernetes/apiserver:pkg/storage/cacher/watch_cache.go, blockTimeout.
const freshFor = 3 * time.Second

// collection returns what a list or watch needs before it begins. ok is false if the request ended.
func (x *exchange) collection(req rest.Request) (s *rest.Selection, media wire.Media, ok bool) {
	resource, known := x.sim.Resources().Resource(req.Resource)
	if known && resource.Served && slices.Contains(resource.Verbs, rest.List) {
		var wrong *metav1.Status
		if media, wrong = x.negotiated(resource, req); wrong != nil {
			if x.mayDo(req) {
				x.status(wrong)
			}
			return nil, media, false
		}
	}
	question := req
	question.Verb = rest.List
	s, refused, err := x.sim.Select(x.r.Context(), question)
	switch {
	case err != nil:
		x.unknown(err)
		return nil, media, false
	case refused != nil && refused.Object == nil:
		x.annotate(refused.AuditAnnotations)
		x.text(refused.Code, refused.Text)
		return nil, media, false
	case refused != nil:
		x.annotate(refused.AuditAnnotations)
		x.warn(refused.Warnings)
		x.status(refused.Status())
		return nil, media, false
	}
	x.annotate(s.AuditAnnotations())
	if err := x.checkTable(media); err != nil {
		x.status(admission.StatusOf(err))
		return nil, media, false
	}
	x.warn(s.Warnings())
	return s, media, true
}

// list answers a GET of a collection.
func (x *exchange) list(req rest.Request) {
	s, media, ok := x.collection(req)
	if !ok {
		return
	}
	l := &listed{}
	var err error
	state := x.fresh(s.Awaits()).State()
	if l.items, l.meta, err = s.Page(s.Options(), state, x.stateAt); isUnknown(err) {
		x.unknown(err)
		return
	} else if err != nil {
		x.status(admission.StatusOf(err))
		return
	}
	x.listed(http.StatusOK, media, s.Resource(), l)
}

// listed writes a page.
func (x *exchange) listed(code int, media wire.Media, resource discovery.Resource, l *listed) {
	if wrong := x.wrongForm(media, resource, nil); wrong != nil {
		x.status(wrong)
		return
	}
	x.encoded(code, media, func(media wire.Media) ([]byte, error) { return l.encode(x, media, resource) })
}

// A listed page is a page of a list, as the client sees it.
type listed struct {
	meta  metav1.ListMeta
	items []runtime.Object
}

// shortMeta returns the metadata of a list that is shown as another kind, which does not name its shards:
// kubernetes/apiserver:pkg/endpoints/handlers/response.go.
func (l *listed) shortMeta() metav1.ListMeta {
	m := l.meta
	m.ShardInfo = nil
	return m
}

// stateAt returns the state of the cluster at a version, if it is still known.
func (x *exchange) stateAt(version int64) (*cluster.State, bool) {
	found, ok := x.store.At(version)
	if !ok {
		return nil, false
	}
	return found.State(), true
}

// fresh returns the newest cluster. If it has not reached the version yet, it waits for it as long as the server does.
func (x *exchange) fresh(version uint64) *simulator.Simulator {
	if version <= uint64(x.sim.State().Writes()) {
		return x.sim
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), freshFor)
	defer cancel()
	for {
		_, upTo, more, err := x.store.Since(x.store.Latest().State().Writes())
		if err == nil && uint64(upTo) >= version {
			return x.store.Latest()
		}
		select {
		case <-more:
		case <-ctx.Done():
			return x.store.Latest()
		}
	}
}

// encode encodes the page.
func (l *listed) encode(x *exchange, media wire.Media, resource discovery.Resource) ([]byte, error) {
	switch {
	case media.As == wire.Table:
		t := x.newTable(media, resource)
		t.ListMeta, t.OfList = l.shortMeta(), true
		if !x.sim.Release().Has(kubeversion.NoSelfLinks) {
			t.ListMeta.SelfLink = x.r.URL.Path
		}
		for _, item := range l.items {
			if err := t.Add(item); err != nil {
				return nil, err
			}
		}
		return media.Encode(x.sim.View().Types(), t.Table())
	case media.As == wire.PartialObjectList:
		list := &metav1.PartialObjectMetadataList{ListMeta: l.shortMeta()} // without items, it has null
		list.SetGroupVersionKind(media.Kind())
		for _, item := range l.items {
			one, err := x.partial(media, item)
			if err != nil {
				return nil, err
			}
			list.Items = append(list.Items, *one)
		}
		return media.Encode(x.sim.View().Types(), list)
	case media.Format == wire.Protobuf:
		list, err := wire.List(listKind(resource), l.meta, l.items)
		if err != nil {
			return nil, err
		}
		return media.Encode(x.sim.View().Types(), list)
	}
	return l.json(x, media, resource)
}

func listKind(resource discovery.Resource) schema.GroupVersionKind {
	kind := resource.Kind
	if resource.CRD != nil {
		kind.Kind = resource.CRD.Spec.Names.ListKind
		return kind
	}
	kind.Kind += "List"
	return kind
}

// alphaPolicies is the version of admission policies in 1.26 and 1.27.
var alphaPolicies = schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1alpha1"}

// json encodes the list object by object. Objects of built-in kinds do not repeat their kind. The members of lists of custom
// resources are sorted by name.
func (l *listed) json(x *exchange, media wire.Media, resource discovery.Resource) ([]byte, error) {
	var b bytes.Buffer
	kind, metadata := listKind(resource), l.meta
	if !x.sim.Release().Has(kubeversion.NoSelfLinks) {
		metadata.SelfLink = x.r.URL.Path
	}
	of := reflect.TypeOf(wire.Empty(kind, resource.CRD != nil))
	if resource.CRD == nil {
		text, err := json.Marshal(metadata)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,"metadata":%s`, kind.Kind, kind.GroupVersion().String(), text)
		if len(l.items) == 0 && resource.Kind.GroupVersion() == alphaPolicies && !x.sim.Release().Has(kubeversion.AlphaPolicyListsShowItems) {
			b.WriteByte('}')
			return media.FromJSON(b.Bytes(), of)
		}
		b.WriteByte(',')
	} else {
		fmt.Fprintf(&b, `{"apiVersion":%q,`, kind.GroupVersion().String())
	}
	b.WriteString(`"items":[`)
	for i, item := range l.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if resource.CRD == nil {
			item = wire.WithoutKind(item)
		}
		text, err := x.sim.View().Types().EncodeAs(item, resource.Kind)
		if err != nil {
			return nil, err
		}
		b.Write(bytes.TrimSuffix(text, []byte("\n")))
	}
	b.WriteByte(']')
	if resource.CRD != nil {
		all, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metadata)
		if err != nil {
			return nil, err
		}
		all["continue"] = metadata.Continue // even if it is empty
		text, err := json.Marshal(all)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,"kind":%q,"metadata":%s`, kind.Kind, text)
	}
	b.WriteByte('}')
	return media.FromJSON(b.Bytes(), of)
}
