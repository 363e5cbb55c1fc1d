package admsimtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admsimtest"
)

// labelled allows a request and adds a label.
func labelled(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	kind := admissionv1.PatchTypeJSONPatch
	return &admissionv1.AdmissionResponse{Allowed: true, PatchType: &kind, Patch: []byte(`[{"op":"add","path":"/metadata/labels","value":{"owner":"shop"}}]`)}
}

// names denies objects called bad; it is a handler like those of controller-runtime.
func names(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: review.Request.Name != "bad"}
	if !review.Response.Allowed {
		review.Response.Result = &metav1.Status{Message: review.Request.Name + " is not welcome at " + r.URL.Path}
	}
	_ = json.NewEncoder(w).Encode(review)
}

func options() admsimtest.Options {
	mux := http.NewServeMux()
	mux.HandleFunc("/validate", names)
	return admsimtest.Options{
		Manifests: []string{"testdata/webhook"},
		Handler:   mux,
		Webhooks:  map[string]admsimtest.Webhook{"label.*": admsimtest.Func(labelled)},
	}
}

func settings(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Data: map[string]string{"workers": "4"}}
}

// The handlers of a test answer for the webhooks of its manifests, and admitted objects exist afterwards.
func TestCluster(t *testing.T) {
	c := admsimtest.New(t, options())
	var created corev1.ConfigMap
	result := c.Create(settings("a")).Admitted().Into(&created)
	if created.Labels["owner"] != "shop" || created.UID == "" {
		t.Errorf("created %v, want the label and a uid", created.ObjectMeta)
	}
	if n := result.Calls("label.shop.example"); n != 1 {
		t.Errorf("the mutating webhook was called %d times, want once", n)
	}
	c.Create(settings("a")).Denied("already exists")
	c.Create(settings("bad")).Denied("bad is not welcome at /validate").DeniedByWebhook("names.shop.example")

	created.Data["workers"] = "5"
	c.Update(&created).Admitted()
	c.Patch(&created, types.MergePatchType, []byte(`{"data": {"workers": "6"}}`), admsimtest.DryRun()).Admitted()
	t.Run("a subtest changes nothing outside", func(t *testing.T) {
		c.For(t).Delete(&created).Admitted()
	})
	c.Delete(&created).Admitted()
	c.Delete(&created).Denied("not found")
}

// Requests are sent by the given user, and objects given as Go values are in the cluster.
func TestUser(t *testing.T) {
	o := options()
	o.Objects = []runtime.Object{settings("there")}
	c := admsimtest.New(t, o)
	result := c.Delete(settings("there"), admsimtest.As("alice", "dev")).Admitted()
	if result.Request.User.Username != "alice" {
		t.Errorf("sent by %s, want alice", result.Request.User.Username)
	}
}

// A failing check says what was wrong and prints every step.
func TestFailure(t *testing.T) {
	f := &failing{TB: t}
	c := admsimtest.New(f, options())
	for name, check := range map[string]func(){
		"the request was denied: admission webhook \"names.shop.example\"": func() { c.Create(settings("bad")).Admitted() },
		"the request was admitted":              func() { c.Create(settings("good")).Denied() },
		"does not contain \"colour\"":           func() { c.Create(settings("bad")).Denied("colour") },
		"not by the webhook other.shop.example": func() { c.Create(settings("bad")).DeniedByWebhook("other.shop.example") },
		"no warning contains \"old\"":           func() { c.Create(settings("other")).Warned("old") },
	} {
		f.said = nil
		check()
		said := strings.Join(f.said, "\n")
		if !strings.Contains(said, name) || !strings.Contains(said, "MutatingAdmissionWebhook") {
			t.Errorf("a failing check said %q, want %q and the trace", said, name)
		}
	}
}

// Programs and URLs in manifests are only used if the test permits it.
func TestConsent(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	backend := func(answers string) []string {
		file := filepath.Join(t.TempDir(), "backends.yaml")
		text := "apiVersion: admsim.dev/v1alpha1\nkind: Backends\nbackends:\n- {webhook: \"*\", " + answers + "}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return []string{"testdata/webhook", file}
	}
	program := backend(fmt.Sprintf("command: [touch, %q], startTimeout: 3s", marker))
	said := func(o admsimtest.Options) string {
		f := &failing{TB: t}
		admsimtest.New(f, o).Create(settings("a"))
		return strings.Join(f.said, "\n")
	}
	if got := said(admsimtest.Options{Manifests: program, AllowNetwork: true}); !strings.Contains(got, "hint: if the test may run it, set Options.AllowExec") {
		t.Errorf("a program without permission: the test said %q", got)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the program ran without permission")
	}
	said(admsimtest.Options{Manifests: program, AllowExec: true})
	if _, err := os.Stat(marker); err != nil {
		t.Error("the program did not run with permission")
	}
	address := backend("url: \"https://127.0.0.1:1\"")
	if got := said(admsimtest.Options{Manifests: address, AllowExec: true}); !strings.Contains(got, "set Options.AllowNetwork") {
		t.Errorf("a URL without permission: the test said %q", got)
	}
	if got := said(admsimtest.Options{Manifests: address, AllowNetwork: true}); strings.Contains(got, "not allowed") {
		t.Errorf("a URL with permission: the test said %q", got)
	}
}

// failing is a test that is expected to fail.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper() {}
func (f *failing) Logf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}
func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}
func (f *failing) Fatalf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}
