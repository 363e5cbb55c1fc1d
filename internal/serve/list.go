package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	question := req
	question.Verb = rest.List
	s, refused, err := x.sim.Select(x.r.Context(), question)
	switch {
	case err != nil:
		x.unknown(err)
		return nil, media, false
	case refused != nil && refused.Object == nil:
		x.text(refused.Code, refused.Text)
		return nil, media, false
	case refused != nil:
		x.warn(refused.Warnings)
		x.status(refused.Status())
		return nil, media, false
	}
	media, ok = wire.Accept(x.r.Header.Get("Accept"), x.offer(s.Resource(), req))
	if !ok {
		x.notAcceptable(s.Resource())
		return nil, media, false
	}
	media.Pretty = media.Pretty || isPretty(x.r)
	x.warn(s.Warnings())
	return s, media, true
}

// list answers a GET of a collection.
func (x *exchange) list(req rest.Request) {
	s, media, ok := x.collection(req)
	if !ok {
		return
	}
	p, err := x.pageOf(s)
	if err == nil {
		err = p.read(s)
	}
	if err != nil {
		x.status(admission.StatusOf(err))
		return
	}
	body, err := p.encode(x, media, s.Resource())
	if err != nil {
		x.unknown(err)
		return
	}
	x.send(http.StatusOK, string(media.Format), body)
}

// A page is all or part of a list.
type page struct {
	sim     *simulator.Simulator // of the cluster as the list shows it
	version int64                // of the list
	after   string               // the key of the last object of the page before
	limit   int64                // 0: none
	all     bool                 // nothing is selected, so that the remaining objects can be counted

	items     []runtime.Object
	more      string // the key at which the next page starts; empty if there is none
	remaining int64
}

// pageOf determines the state that is listed, and where the page begins.
func (x *exchange) pageOf(s *rest.Selection) (*page, error) {
	o := s.Options()
	p := &page{sim: x.sim, limit: o.Limit, all: s.All()}
	p.version = p.sim.State().Writes()
	if o.Continue != "" {
		return p, p.resume(x, s)
	}
	if o.Version == "" || o.Version == "0" {
		return p, nil
	}
	version, err := strconv.ParseInt(o.Version, 10, 64)
	if err != nil || version < 0 {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %q", o.Version))
	}
	if version > p.version {
		if p.sim, err = x.fresh(version); err != nil {
			return nil, err
		}
		p.version = p.sim.State().Writes()
	}
	// With a limit, lists used to be exact: kubernetes/apiserver:pkg/storage/etcd3/store.go.
	if o.Match == metav1.ResourceVersionMatchExact || o.Match == "" && o.Limit > 0 {
		found, ok := x.store.At(version)
		if !ok {
			return nil, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
		}
		p.sim, p.version = found, version
	}
	return p, nil
}

// fresh waits until the cluster has reached the version.
func (x *exchange) fresh(version int64) (*simulator.Simulator, error) {
	ctx, cancel := context.WithTimeout(x.r.Context(), freshFor)
	defer cancel()
	for {
		_, upTo, more, err := x.store.Since(x.store.Latest().State().Writes())
		if err == nil && upTo >= version {
			return x.store.Latest(), nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			late := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, x.store.Latest().State().Writes()), 1)
			late.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
			return nil, late
		}
	}
}

// A token encodes where a list continues: kubernetes/apiserver:pkg/storage/continue.go.
type token struct {
	APIVersion string `json:"v"`
	Version    int64  `json:"rv"`
	Start      string `json:"start"`
}

const tokenVersion = "meta.k8s.io/v1"

// latestVersion in a token means that the list continues with the newest state.
const latestVersion = -1

func (t token) String() string {
	t.APIVersion = tokenVersion
	data, _ := json.Marshal(t) // it has only strings and a number
	return base64.RawURLEncoding.EncodeToString(data)
}

// resume continues a list.
func (p *page) resume(x *exchange, s *rest.Selection) error {
	o := s.Options()
	invalid := func(text string) error {
		return apierrors.NewBadRequest("continue key is not valid: " + text)
	}
	data, err := base64.RawURLEncoding.DecodeString(o.Continue)
	if err != nil {
		return invalid(err.Error())
	}
	var t token
	if err := json.Unmarshal(data, &t); err != nil {
		return invalid(err.Error())
	}
	switch {
	case t.APIVersion != tokenVersion:
		return invalid("server does not recognize this encoded version " + t.APIVersion)
	case t.Version == 0:
		return invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return invalid("encoded start key empty (version meta.k8s.io/v1)")
	case path.Clean("/"+t.Start) != "/"+t.Start:
		return invalid(t.Start)
	case o.Version != "" && o.Version != "0":
		return apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	p.after = strings.TrimSuffix(t.Start, "\x00")
	if t.Version == latestVersion {
		return nil
	}
	found, ok := x.store.At(t.Version)
	if !ok {
		gone := apierrors.NewResourceExpired(tooOldToContinue)
		gone.ErrStatus.Continue = token{Version: latestVersion, Start: t.Start}.String()
		return gone
	}
	p.sim, p.version = found, t.Version
	return nil
}

const tooOldToContinue = "The provided continue parameter is too old " +
	"to display a consistent list result. You can start a new list without " +
	"the continue parameter, or use the continue token in this response to " +
	"retrieve the remainder of the results. Continuing with the provided " +
	"token results in an inconsistent list - objects that were created, " +
	"modified, or deleted between the time the first chunk was returned " +
	"and now may show up in the list."

// keyOf returns the key by which an object is sorted in lists of its kind.
func keyOf(object runtime.Object) string {
	k := cluster.KeyOf(object)
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// read collects the objects of the page, as the client sees them.
func (p *page) read(s *rest.Selection) error {
	last, skipping := "", p.after != ""
	for kept := range p.sim.State().List(s.Resource().Storage.GroupKind(), s.Namespace()) {
		if skipping {
			if before(kept.Object, p.after) {
				continue
			}
			skipping = false
		}
		ok, err := s.Selects(kept.Object)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if p.limit > 0 && int64(len(p.items)) == p.limit {
			p.more = last
			p.remaining++
			if !p.all {
				return nil
			}
			continue
		}
		object, err := s.Show(kept.Object)
		if err != nil {
			return err
		}
		p.items = append(p.items, object)
		last = keyOf(kept.Object)
	}
	return nil
}

// before reports whether an object was in a page that ended with key.
func before(object runtime.Object, key string) bool { return keyOf(object) <= key }

// meta returns the metadata of the list.
func (p *page) meta(custom bool) map[string]any {
	m := map[string]any{"resourceVersion": strconv.FormatInt(p.version, 10)}
	if custom {
		m["continue"] = ""
	}
	if p.more != "" {
		m["continue"] = token{Version: p.version, Start: p.more + "\x00"}.String()
		if p.all {
			m["remainingItemCount"] = p.remaining
		}
	}
	return m
}

func (p *page) listMeta() metav1.ListMeta {
	m := metav1.ListMeta{ResourceVersion: strconv.FormatInt(p.version, 10)}
	if p.more != "" {
		m.Continue = token{Version: p.version, Start: p.more + "\x00"}.String()
		if p.all {
			m.RemainingItemCount = &p.remaining
		}
	}
	return m
}

// encode encodes the page.
func (p *page) encode(x *exchange, media wire.Media, resource discovery.Resource) ([]byte, error) {
	switch {
	case media.As == wire.Table:
		t := x.newTable(media, resource)
		t.ListMeta = p.listMeta()
		for _, item := range p.items {
			if err := t.Add(item); err != nil {
				return nil, err
			}
		}
		return media.Encode(x.sim.View().Types(), t.Table())
	case media.As == wire.PartialObjectList:
		list := &metav1.PartialObjectMetadataList{ListMeta: p.listMeta(), Items: []metav1.PartialObjectMetadata{}}
		list.SetGroupVersionKind(media.Kind())
		for _, item := range p.items {
			one, err := partial(media, item)
			if err != nil {
				return nil, err
			}
			list.Items = append(list.Items, *one)
		}
		return media.Encode(x.sim.View().Types(), list)
	case media.Format == wire.Protobuf:
		list, err := wire.List(listKind(resource), p.listMeta(), p.items)
		if err != nil {
			return nil, err
		}
		return media.Encode(x.sim.View().Types(), list)
	}
	return p.json(x, media, resource)
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

// json encodes the list object by object. Objects of built-in kinds do not repeat their kind.
func (p *page) json(x *exchange, media wire.Media, resource discovery.Resource) ([]byte, error) {
	var b bytes.Buffer
	m := p.meta(resource.CRD != nil)
	if !x.sim.Release().Has(kubeversion.NoSelfLinks) {
		m["selfLink"] = x.r.URL.Path
	}
	metadata, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	kind := listKind(resource)
	fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[`, kind.Kind, kind.GroupVersion().String(), metadata)
	for i, item := range p.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if resource.CRD == nil {
			item = wire.WithoutKind(item)
		}
		text, err := x.sim.View().Types().Encode(item)
		if err != nil {
			return nil, err
		}
		b.Write(bytes.TrimSuffix(text, []byte("\n")))
	}
	b.WriteString("]}")
	return media.FromJSON(b.Bytes())
}
