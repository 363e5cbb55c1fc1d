package rest

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// deleteCollection answers a DELETE of a whole collection: it deletes the items one after the other until one fails;
// those deleted before stay deleted (W-019). If an item does not exist any more, this is not a failure, and the server
// believes anyone who says so, even a webhook: kubernetes/apiserver:pkg/registry/generic/registry/store.go,
// DeleteCollection.
func (x *exchange) deleteCollection(ctx context.Context) (int, runtime.Object, error) {
	selected, err := x.selection()
	if err != nil {
		return 0, nil, err
	}
	options, err := x.deleteOptions()
	if err != nil {
		return 0, nil, err
	}
	if err := keepReadable(options); err != nil {
		return 0, nil, err
	}
	x.warnOfOrphans(options)
	if x.server.release().Has(kubeversion.CollectionsDeletedInPages) {
		selected = selected.InPages()
	}
	items, list, err := x.list(selected)
	if err != nil {
		return 0, nil, err
	}
	for _, item := range items {
		m, err := meta.Accessor(item)
		if err != nil {
			return 0, nil, err
		}
		_, _, err = x.removeNamed(ctx, m.GetName(), options.DeepCopy(), options)
		if refused, ok := err.(*refusal); ok {
			if refused.is(apierrors.IsNotFound) {
				continue
			}
			refused.alternatives = refused.alternatives.without(apierrors.IsNotFound)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	for _, item := range items {
		x.items = append(x.items, x.linked(item))
	}
	answer, err := x.listObject(items, list)
	return http.StatusOK, answer, err
}

// list returns the objects in the namespace of the request as the client gets them, by name, and the metadata of the
// list. A list that continues shows the state of the page before.
func (x *exchange) list(selected selectors.Selection) (items []runtime.Object, list metav1.ListMeta, err error) {
	at := x.req.Earlier
	if at == nil {
		at = func(int64) (*cluster.State, bool) { return x.state, true }
	}
	if items, list, err = x.page(selected, x.state, at); err != nil {
		return nil, list, refuse(err)
	}
	return items, list, nil
}

// page returns the objects of a page of a list as the client gets them, and the metadata of the list.
func (x *exchange) page(by selectors.Selection, state *cluster.State, at func(version int64) (*cluster.State, bool)) (items []runtime.Object, list metav1.ListMeta, err error) {
	if x.probes() {
		items, err = x.selectedComponents(by)
		return items, list, err
	}
	stored, list, err := by.Page(state, at)
	if err != nil {
		return nil, list, err
	}
	items, err = x.itemsOf(stored)
	return items, list, err
}

// itemsOf returns the items of a list as the client gets them, or the error about all that cannot be read.
func (x *exchange) itemsOf(stored []runtime.Object) ([]runtime.Object, error) {
	items := make([]runtime.Object, 0, len(stored))
	var unreadable []*unreadableError
	for _, kept := range stored {
		item, err := x.fromStorage(kept)
		one := (*unreadableError)(nil)
		switch {
		case errors.As(err, &one):
			unreadable = append(unreadable, one)
		case err != nil:
			return nil, err
		default:
			items = append(items, x.shown(item))
		}
		if len(unreadable) == x.tooManyUnreadable() {
			break
		}
	}
	if len(unreadable) > 0 {
		return nil, x.unreadableItems(unreadable)
	}
	return items, nil
}

// listObject returns the list of items that is the answer. In lists of built-in kinds items do not repeat their kind;
// lists of custom resources say so if there are no more items.
func (x *exchange) listObject(items []runtime.Object, of metav1.ListMeta) (runtime.Object, error) {
	metadata := map[string]any{}
	if of.ResourceVersion != "" {
		metadata["resourceVersion"] = of.ResourceVersion
	}
	if of.Continue != "" || x.resource.CRD != nil {
		metadata["continue"] = of.Continue
	}
	if of.RemainingItemCount != nil {
		metadata["remainingItemCount"] = *of.RemainingItemCount
	}
	if of.ShardInfo != nil {
		metadata["shardInfo"] = map[string]any{"selector": of.ShardInfo.Selector}
	}
	kind := x.resource.Kind.Kind + "List"
	if x.resource.CRD != nil {
		kind = x.resource.CRD.Spec.Names.ListKind
	}
	list := []any{}
	for _, item := range items {
		encoded, err := x.server.Types.Encode(item)
		if err != nil {
			return nil, err
		}
		fields := map[string]any{}
		if err := json.Unmarshal(encoded, &fields); err != nil {
			return nil, err
		}
		if x.resource.CRD == nil {
			delete(fields, "kind")
			delete(fields, "apiVersion")
		}
		list = append(list, fields)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": x.resource.Kind.GroupVersion().String(),
		"kind":       kind,
		"metadata":   metadata,
		"items":      list,
	}}, nil
}
