package dispatch

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
)

// reviews returns requests of every form described in W-136.
func reviews() map[string]*Review {
	object := json.RawMessage(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"cart"}}`)
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	user := authenticationv1.UserInfo{
		Username: "alice <a@shop.example>",
		UID:      "42",
		Groups:   []string{"dev", "system:authenticated"},
		Extra:    map[string]authenticationv1.ExtraValue{"scopes": {"a", "b"}, "empty": {}},
	}

	create := podRequest()
	create.User = user
	update := podRequest()
	update.Operation, update.Subresource = admissionv1.Update, "status"
	update.Resource, update.Kind = deployments, deployment
	update.Options = &metav1.UpdateOptions{TypeMeta: metav1.TypeMeta{Kind: "UpdateOptions", APIVersion: "meta.k8s.io/v1"}, DryRun: []string{"All"}, FieldManager: `"kubectl"`}
	update.DryRun = true
	remove := podRequest()
	remove.Operation, remove.Name, remove.Namespace = admissionv1.Delete, "", ""
	remove.Options = &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "meta.k8s.io/v1"}}
	remove.User = authenticationv1.UserInfo{}
	connect := podRequest()
	connect.Operation, connect.Subresource, connect.Options = admissionv1.Connect, "exec", nil
	connect.Kind.Kind = "PodExecOptions"

	return map[string]*Review{
		"create": {Request: create, Resource: create.Resource, Kind: create.Kind, ObjectJSON: Text(object)},
		"update": {
			Request:  update,
			Resource: schema.GroupVersionResource{Group: "extensions", Version: "v1beta1", Resource: "deployments"},
			Kind:     schema.GroupVersionKind{Group: "extensions", Version: "v1beta1", Kind: "Deployment"}, ObjectJSON: Text(object), OldObjectJSON: Text(object),
		},
		"delete":  {Request: remove, Resource: remove.Resource, Kind: remove.Kind, OldObjectJSON: Text(object)},
		"connect": {Request: connect, Resource: connect.Resource, Kind: connect.Kind, ObjectJSON: Text(object)},
	}
}

// asServer returns the review as the server's own types and encoder write it.
func asServer(t *testing.T, r *Review, version string, uid types.UID) string {
	t.Helper()
	kind := metav1.GroupVersionKind(r.Request.Kind)
	resource := metav1.GroupVersionResource(r.Request.Resource)
	request := &admissionv1.AdmissionRequest{
		UID:                uid,
		Kind:               metav1.GroupVersionKind(r.Kind),
		Resource:           metav1.GroupVersionResource(r.Resource),
		SubResource:        r.Request.Subresource,
		RequestKind:        &kind,
		RequestResource:    &resource,
		RequestSubResource: r.Request.Subresource,
		Name:               r.Request.Name,
		Namespace:          r.Request.Namespace,
		Operation:          r.Request.Operation,
		UserInfo:           r.Request.User,
		Object:             runtime.RawExtension{Raw: read(r.ObjectJSON)},
		OldObject:          runtime.RawExtension{Raw: read(r.OldObjectJSON)},
		DryRun:             &r.Request.DryRun,
		Options:            runtime.RawExtension{Object: r.Request.Options},
	}
	var review any = &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/v1"},
		Request:  request,
	}
	if version == v1beta1 {
		beta := &admissionv1beta1.AdmissionReview{TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/v1beta1"}}
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &beta.Request); err != nil {
			t.Fatal(err)
		}
		review = beta
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(review); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The text of a review equals that of the server's encoder, byte for byte (W-131..W-141).
func TestReviewBody(t *testing.T) {
	for name, r := range reviews() {
		for _, version := range []string{v1, v1beta1} {
			got, err := r.body(version, "u-1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asServer(t, r, version, "u-1"), string(got)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", name, version, diff)
			}
		}
	}
}

func TestReviewBodyText(t *testing.T) {
	got, err := reviews()["delete"].body(v1, "u-1")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",` +
		`"kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},` +
		`"requestKind":{"group":"","version":"v1","kind":"Pod"},"requestResource":{"group":"","version":"v1","resource":"pods"},` +
		`"operation":"DELETE","userInfo":{},"object":null,` +
		`"oldObject":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"cart"}},"dryRun":false,` +
		`"options":{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}}}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Concurrent hooks share a review.
func TestReviewIsShared(t *testing.T) {
	r := reviews()["create"]
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() {
			if _, err := r.body(v1, "u"); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
}

func TestChooseVersion(t *testing.T) {
	for _, tt := range []struct {
		accepted []string
		want     string
		ok       bool
	}{
		{[]string{"v1", "v1beta1"}, "v1", true},
		{[]string{"v1beta1", "v1"}, "v1beta1", true},
		{[]string{"v99", "v1"}, "v1", true},
		{[]string{"v2", "V1"}, "", false},
		{nil, "", false},
	} {
		if got, ok := (&Review{}).chooseVersion(tt.accepted); got != tt.want || ok != tt.ok {
			t.Errorf("W-130: chooseVersion(%q) = %q, %t, want %q, %t", tt.accepted, got, ok, tt.want, tt.ok)
		}
	}
}

// recordedScenarios reads the recorded answers of a real server.
func recordedScenarios(t *testing.T, pattern string) map[string]scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../testdata/recorded", pattern+".json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recording %s: %v", pattern, err)
	}
	scenarios := map[string]scenario{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s scenario
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		scenarios[s.ID] = s
	}
	return scenarios
}

// A scenario is the part of a recording that describes calls.
type scenario struct {
	ID       string
	Configs  []json.RawMessage
	Webhooks map[string][]Answer
	Requests []struct {
		Object json.RawMessage
		Expect struct {
			Code             int
			Warnings         []string
			Body             json.RawMessage
			AuditAnnotations map[string]string
			Calls            []recordedCall
		}
	}
}

type recordedCall struct {
	Webhook string
	Phase   string
	Query   string
	Review  struct {
		APIVersion string
		Request    json.RawMessage
	}
}

// review decodes the request into its parts, so that it can be encoded again.
func (c recordedCall) review(t *testing.T) *Review {
	t.Helper()
	var request admissionv1.AdmissionRequest
	if err := json.Unmarshal(c.Review.Request, &request); err != nil {
		t.Fatal(err)
	}
	r := &Review{
		Request: admission.Request{
			Operation:   request.Operation,
			Resource:    schema.GroupVersionResource(*request.RequestResource),
			Subresource: request.RequestSubResource,
			Kind:        schema.GroupVersionKind(*request.RequestKind),
			Namespace:   request.Namespace,
			Name:        request.Name,
			DryRun:      *request.DryRun,
			User:        request.UserInfo,
		},
		Resource:      schema.GroupVersionResource(request.Resource),
		Kind:          schema.GroupVersionKind(request.Kind),
		ObjectJSON:    Text(unlessNull(request.Object.Raw)),
		OldObjectJSON: Text(unlessNull(request.OldObject.Raw)),
	}
	var options runtime.Object
	switch request.Operation {
	case admissionv1.Create:
		options = &metav1.CreateOptions{}
	case admissionv1.Update:
		options = &metav1.UpdateOptions{}
	case admissionv1.Delete:
		options = &metav1.DeleteOptions{}
	}
	if options != nil {
		if err := json.Unmarshal(request.Options.Raw, options); err != nil {
			t.Fatal(err)
		}
		r.Request.Options = options
	}
	return r
}

func unlessNull(raw []byte) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Every review in the recordings is reproduced from its parts.
func TestRecordedReviews(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	n := 0
	for id, s := range recordedScenarios(t, "*") {
		for i, r := range s.Requests {
			for _, c := range r.Expect.Calls {
				if c.Review.Request == nil {
					continue // not an admission review, for example that of the image policy
				}
				version := strings.TrimPrefix(c.Review.APIVersion, "admission.k8s.io/")
				got, err := c.review(t).body(version, "00000000-0000-0000-0000-000000000001")
				if err != nil {
					t.Fatal(err)
				}
				var have, want any
				var sent struct{ Request json.RawMessage }
				if err := json.Unmarshal(got, &sent); err != nil {
					t.Fatalf("%s: %v\n%s", id, err, got)
				}
				for text, into := range map[*json.RawMessage]*any{&sent.Request: &have, &c.Review.Request: &want} {
					if err := json.Unmarshal(*text, into); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%s, request %d, %s (-want +got):\n%s", id, i+1, c.Webhook, diff)
				}
				n++
			}
		}
	}
	if n == 0 {
		t.Error("no review was recorded")
	}
}

// read returns the text of an object, or nil if there is none.
func read(j JSON) []byte {
	text, err := j.text()
	if err != nil {
		panic(err)
	}
	return text
}
