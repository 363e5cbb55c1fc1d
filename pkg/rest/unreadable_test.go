package rest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

const unreadableGadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget, listKind: GadgetList}
  conversion: {strategy: Webhook, webhook: {clientConfig: {url: "https://gadgets.shop.example/"}, conversionReviewVersions: [v1]}}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
`

// newUnreadableWorld returns a world with so many gadgets that cannot be read in version v2.
func newUnreadableWorld(t *testing.T, release string, gadgets int) *world {
	t.Helper()
	w := newWorld()
	w.become(t, []string{release, "AllowUnsafeMalformedObjectDeletion=true"})
	w.convert = func(*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.ConversionReview, func(*apiextensionsv1.ConversionReview) error) error {
		return errors.New("no idea")
	}
	docs := []string{unreadableGadgets}
	for i := range gadgets {
		docs = append(docs, fmt.Sprintf(`{apiVersion: shop.example/v1, kind: Gadget, metadata: {name: g%03d, namespace: shop, uid: u, resourceVersion: "5"}}`, i))
	}
	w.fill(t, []byte(strings.Join(docs, "\n---\n")))
	return w
}

// The error of a list names the objects that the server cannot read, but not more than 100. Before 1.37 the 101st of them
// ends the list, not the 100th: kubernetes/apiserver:pkg/storage/etcd3/corrupt_obj_deleter.go.
func TestUnreadableLists(t *testing.T) {
	const (
		failed = "failed to read one or more gadgets.shop.example from the storage"
		first  = "StorageError: corrupt object, Code: 7, Key: /registry/shop.example/gadgets/shop/g000, ResourceVersion: 0, " +
			"AdditionalErrorMsg: object not decodable revision=5: conversion webhook for shop.example/v1, Kind=Gadget failed: no idea"
	)
	for _, tt := range []struct {
		release   string
		gadgets   int
		named     int
		truncated bool
		message   string
	}{
		{"1.36", 2, 2, false, failed},
		{"1.36", 100, 100, false, failed},
		{"1.36", 101, 100, true, failed},
		{"1.37", 1, 1, false, failed + ": " + first},
		{"1.37", 99, 99, false, failed + ": " + first + " (and 98 more)"},
		{"1.37", 100, 100, true, failed + ": " + first + " (and 99 more)"},
		{"1.37", 101, 100, true, failed + ": " + first + " (and 99 more)"},
	} {
		w := newUnreadableWorld(t, tt.release, tt.gadgets)
		for _, line := range []string{"deletecollection gadgets.v2.shop.example shop/", "list gadgets.v2.shop.example", "page gadgets.v2.shop.example"} {
			status := w.unreadable(t, line)
			if status == nil || status.Details == nil {
				t.Errorf("%s of %d in %s is answered with %+v", line, tt.gadgets, tt.release, status)
				continue
			}
			causes := status.Details.Causes
			named := len(causes)
			truncated := named > 0 && causes[named-1].Type == metav1.CauseTypeTooMany
			if truncated {
				named--
			}
			if named != tt.named || truncated != tt.truncated || status.Message != tt.message || status.Reason != metav1.StatusReasonStoreReadError || causes[0].Message != first {
				t.Errorf("%s of %d in %s names %d, truncated: %v: %s: %s; first %s", line, tt.gadgets, tt.release, named, truncated, status.Reason, status.Message, causes[0].Message)
			}
		}
	}
}

// unreadable returns the refusal of a request to a collection; page stands for [Selection.Page].
func (w *world) unreadable(t *testing.T, line string) *metav1.Status {
	t.Helper()
	server := w.server()
	req, _, err := requestOf(server, line, nil)
	if err != nil {
		t.Fatal(err)
	}
	if req.Verb != "page" {
		response, err := server.Do(t.Context(), w.state, req)
		if err != nil {
			t.Fatal(err)
		}
		return response.Status()
	}
	req.Verb = List
	selection, refused, err := server.Select(t.Context(), w.state, req)
	if err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	if _, _, err = selection.Page(selection.Options(), w.state, nil); err == nil {
		return nil
	}
	return admission.StatusOf(err)
}

// 1.32 needs the old object for admission, but has none, and panics: kubernetes/apiserver 0.32, pkg/storage/etcd3/store.go
// and pkg/registry/rest/delete.go.
func TestUnreadableDeleted(t *testing.T) {
	for _, tt := range []struct {
		release, want string
		left          int
	}{
		{"1.32", "500 : This request caused apiserver to panic. Look in the logs for details.\n", 1},
		{"1.33", "200 Status\n", 0},
	} {
		w := newUnreadableWorld(t, tt.release, 1)
		if got := w.play(t, "delete gadgets.v2.shop.example shop/g000 query=ignoreStoreReadErrorWithClusterBreakingPotential=true", nil); got != tt.want {
			t.Errorf("%s: the deletion is\n%s\nwant\n%s", tt.release, got, tt.want)
		}
		left := 0
		for range w.state.List(schema.GroupKind{Group: "shop.example", Kind: "Gadget"}, "") {
			left++
		}
		if left != tt.left {
			t.Errorf("%s: %d gadgets are left, want %d", tt.release, left, tt.left)
		}
	}
}

// Before 1.37 the server tries to delete an unreadable object as usual first: kubernetes/apiserver 0.36,
// pkg/registry/generic/registry/corrupt_obj_deleter.go.
func TestUnreadableDeletedAsUsual(t *testing.T) {
	for release, want := range map[string]string{"1.36": "mutating   DELETE Gadget g000\nvalidating DELETE Gadget g000\n", "1.37": ""} {
		w := newUnreadableWorld(t, release, 1)
		failing, calls := w.convert, 0
		w.convert = func(crd *apiextensionsv1.CustomResourceDefinition, review *apiextensionsv1.ConversionReview, use func(*apiextensionsv1.ConversionReview) error) error {
			if calls++; calls == 1 {
				return failing(crd, review, use)
			}
			converted := review.Request.Objects[0].DeepCopy()
			converted.Object.(interface{ SetAPIVersion(string) }).SetAPIVersion(review.Request.DesiredAPIVersion)
			answer := review.DeepCopy()
			answer.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
			answer.Response.ConvertedObjects = append(answer.Response.ConvertedObjects, *converted)
			return use(answer)
		}
		got := w.play(t, "delete gadgets.v2.shop.example shop/g000 query=ignoreStoreReadErrorWithClusterBreakingPotential=true", nil)
		if want += "200 Status\n"; got != want {
			t.Errorf("%s: the deletion is\n%s\nwant\n%s", release, got, want)
		}
		for range w.state.List(schema.GroupKind{Group: "shop.example", Kind: "Gadget"}, "") {
			t.Errorf("%s: the gadget is still there", release)
		}
	}
}
