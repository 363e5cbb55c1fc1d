package recording

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// effects returns what is known of the cluster after the event, which may be read-only.
func (e *event) effects(r *Record) []Effect {
	if r.Answer.Status != nil {
		return e.missing(r)
	}
	if !e.succeeded() || e.dryRun() || e.ref.resource == "" || e.connects() {
		return nil
	}
	key := r.Key()
	switch e.verb {
	case "list":
		return e.listed(r, func(i item) Effect { return i.exists() })
	case rest.DeleteCollection:
		return e.listed(r, item.collected)
	case "watch":
		return nil
	case rest.Delete:
		return e.deleted(key)
	case "get", rest.Create, rest.Update, rest.Patch:
	default:
		return nil
	}
	switch {
	case e.answer.stored() && e.ref.subresource != "token":
		return []Effect{e.shown(key)}
	case e.verb == "get", e.ref.subresource == "token", key.Name == "":
		return nil
	case e.ref.subresource != "":
		return []Effect{e.partialEffect(key)}
	case e.response == nil:
		return []Effect{{Key: key, Unknown: e.verb + " logged without a response"}}
	}
	return nil
}

// shown returns the effect of an answer that is the object itself.
func (e *event) shown(key Key) Effect {
	if e.verb != "get" && e.answer.gone() {
		return Effect{Key: key}
	}
	return Effect{Key: key, Object: e.response, version: e.answer.version, generation: e.answer.generation}
}

func (e *event) deleted(key Key) []Effect {
	switch {
	case e.response == nil:
		return []Effect{{Key: key, Unknown: "delete logged without a response"}}
	case e.answer.terminating && !e.answer.gone():
		return []Effect{e.shown(key)}
	}
	return []Effect{{Key: key}}
}

// missing returns the effect of a 404: the object, or its namespace, does not exist.
func (e *event) missing(r *Record) []Effect {
	s := r.Answer.Status
	if s.Reason != metav1.StatusReasonNotFound || e.status.code != http.StatusNotFound || s.Details == nil {
		return nil
	}
	named := schema.GroupResource{Group: s.Details.Group, Resource: s.Details.Kind}
	switch {
	case named == r.Resource.GroupResource() && s.Details.Name == r.Name && r.Name != "":
		return []Effect{{Key: r.Key()}}
	case isNamespace(named) && s.Details.Name == r.Namespace && r.Namespace != "":
		return []Effect{{Key: keyOf(named.WithVersion(""), "", s.Details.Name)}}
	}
	return nil
}

func (e *event) dryRun() bool {
	return strings.Contains(e.uri, "dryRun=") ||
		(e.verb == rest.Delete || e.verb == rest.DeleteCollection) && given(fieldOf(e.request, "dryRun"))
}

// An item is an element of a list.
type item struct {
	key Key
	raw json.RawMessage
	head
}

// exists returns the effect of an item that was read.
func (i item) exists() Effect {
	return Effect{Key: i.key, Object: i.raw, version: i.version, generation: i.generation}
}

// collected returns the effect of an item that was deleted. The answer shows it as it was before.
func (i item) collected() Effect {
	if i.finalizers || i.kind == "Pod" { // pods have a grace period
		return Effect{Key: i.key, Unknown: "deletecollection"}
	}
	return Effect{Key: i.key}
}

func (e *event) listed(r *Record, effect func(item) Effect) (effects []Effect) {
	kind, isList := strings.CutSuffix(e.answer.kind, "List")
	if !isList || strings.HasPrefix(e.answer.apiVersion, "meta.k8s.io/") {
		return nil
	}
	eachElement(e.answer.items, func(raw []byte) {
		i := item{raw: raw, head: headOf(raw)}
		if i.uid == "" || i.name == "" {
			return
		}
		if i.kind == "" { // items of typed lists have no kind
			i.kind = kind
			i.raw = fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,%s`, kind, e.answer.apiVersion, raw[1:])
		}
		i.key = keyOf(r.Resource, i.namespace, i.name)
		effects = append(effects, effect(i))
	})
	return effects
}

// fold adds what the store knows to the record, and what the record shows to the store. Events are ordered by the end
// of their requests, not by their writes, so effects older than what the store knows are dropped.
func fold(s Store, r *Record) {
	if r.Form != Audit {
		return
	}
	if r.Runs() {
		before(s, r)
	}
	r.Effects = slices.DeleteFunc(r.Effects, func(e Effect) bool {
		seen, known := s.Load(e.Key)
		return known && e.version != 0 && seen.Version > e.version
	})
	for i := range r.Effects {
		e := &r.Effects[i]
		seen, known := s.Load(e.Key)
		e.applyTo(seen)
		switch {
		case e.Unknown == "":
			s.Save(e.Key, Seen{Object: e.Object, Stale: e.stale, Version: e.version, Generation: e.generation})
		case known:
			seen.Stale = e.Unknown
			s.Save(e.Key, seen)
		}
	}
}

// before finds the object as it was before the request.
func before(s Store, r *Record) {
	unknown := func(code Code, format string, args ...any) {
		r.Unknown = append(r.Unknown, Reason{code, fmt.Sprintf(format, args...)})
	}
	key := r.Key()
	own := r.effectOn(key)
	gone := own != nil && own.Object == nil && own.Unknown == ""
	ok := r.Answer.Code < 400
	creates := r.Verb == rest.Create && r.Subresource == ""
	switch {
	case creates && ok, r.created(), r.Answer.Code == http.StatusNotFound && gone:
		r.Old.Knowledge = Absent
		return
	case r.Verb == rest.DeleteCollection:
		unknown(OldUnknown, "those of a whole collection")
		return
	case r.returnsDeleted():
		r.Old = Before{Exists, r.Answer.Object}
		return
	}
	seen, known := s.Load(key)
	switch {
	case known && seen.Object != nil:
		r.Old = Before{Exists, seen.Object}
	case !known && r.Old.Object != nil: // the review beside the event has it
		r.Old.Knowledge = Exists
		return
	case known && seen.Stale == "" && (!ok || creates):
		r.Old.Knowledge = Absent
		return
	case !creates:
		unknown(OldUnknown, "%s was not seen before", key)
		return
	default:
		return
	}
	switch {
	case seen.Stale != "":
		unknown(OldStale, "%s since it was seen", seen.Stale)
	case own != nil && own.version != 0 && own.version < seen.Version:
		unknown(OldNewer, "resourceVersion %d was answered, %d seen before", own.version, seen.Version)
	case own != nil && seen.Generation != 0 && own.generation > seen.Generation+1:
		unknown(OldBehind, "generation %d was answered, %d seen before", own.generation, seen.Generation)
	}
}

// created reports whether the answer says that the request created its object: with POST, or with an apply or a PUT for
// an object that did not exist.
func (r *Record) created() bool {
	return r.Answer.Code == http.StatusCreated && r.Subresource == ""
}

// returnsDeleted reports whether the answer is the object as it was when it was deleted. The server answers so for some
// kinds, and otherwise with a Status, or with the object as the deletion has changed it.
func (r *Record) returnsDeleted() bool {
	if r.Verb != rest.Delete || r.Subresource != "" || r.Answer.Code != http.StatusOK {
		return false
	}
	answer := headOf(r.Answer.Object)
	return answer.stored() && !answer.terminating
}

func (r *Record) effectOn(k Key) *Effect {
	if i := slices.IndexFunc(r.Effects, func(e Effect) bool { return e.Key == k }); i >= 0 {
		return &r.Effects[i]
	}
	return nil
}

func (k Key) String() string {
	name := k.Resource
	if k.Group != "" {
		name += "." + k.Group
	}
	name += " " + strconv.Quote(k.Name)
	if k.Namespace != "" {
		name += " in " + k.Namespace
	}
	return name
}
