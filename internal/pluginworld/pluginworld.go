// Package pluginworld provides a cluster for tests of plugins, and requests as their scenarios write them: a line such
// as update pods/resize shop/web dry-run as ann,devs, and the body.
//
// Start with [New] and [World.Request]. The package does not know the plugins, and does nothing to a request except for
// what it is asked to do.
package pluginworld

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A World is a cluster of a release.
type World struct {
	Resources *discovery.Resources
	Types     *objects.Types
	State     *cluster.State

	release *kubeversion.Release
}

// New creates a cluster from documents, each with the line of cluster.yaml where it starts as its source. CRDs come
// before their objects.
func New(t testing.TB, release *kubeversion.Release, documents []byte) *World {
	t.Helper()
	w := &World{State: cluster.New(), release: release}
	w.serve()
	line := 1
	for _, doc := range strings.SplitAfter(string(documents), "---\n") {
		if body := strings.TrimSuffix(doc, "---\n"); strings.TrimSpace(body) != "" {
			w.add(t, []byte(body), fmt.Sprintf("cluster.yaml:%d", line))
		}
		line += strings.Count(doc, "\n")
	}
	return w
}

func (w *World) serve() {
	w.Resources = discovery.New(w.release, w.State)
	w.Types = kinds.New(func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		r, ok := w.Resources.ForKind(gvk)
		return objects.Resource{Namespaced: r.Namespaced, Storage: r.Storage, CRD: r.CRD}, ok
	}, objects.Options{Release: w.release})
}

// add adds a document in the stored version.
func (w *World) add(t testing.TB, document []byte, source string) {
	t.Helper()
	object := w.Decode(t, document)
	if r, ok := w.Resources.ForKind(object.GetObjectKind().GroupVersionKind()); ok {
		var err error
		if object, err = w.Types.Convert(object, r.Storage); err != nil {
			t.Fatal(err)
		}
	}
	w.State = w.State.With(cluster.Object{Object: object, Source: source})
	if _, is := object.(*apiextensionsv1.CustomResourceDefinition); is {
		w.serve()
	}
}

// Decode reads a document as the server reads a body, with defaults.
func (w *World) Decode(t testing.TB, document []byte) runtime.Object {
	t.Helper()
	data, err := yaml.YAMLToJSON(document)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, document)
	}
	var kind metav1.TypeMeta
	if err := json.Unmarshal(data, &kind); err != nil {
		t.Fatal(err)
	}
	object, _, err := w.Types.Decode(data, kind.GroupVersionKind(), objects.Strict)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, document)
	}
	return object
}

// Request parses a line of the form
//
//	VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE/]NAME [dry-run] [as USER[,GROUP…]]
//
// The verbs are create, update, delete and connect. The body is the whole object, or the options of a connection.
func (w *World) Request(t testing.TB, line string, body []byte) admission.Request {
	t.Helper()
	words := strings.Fields(line)
	if len(words) < 2 {
		t.Fatalf("want a verb and a resource: %q", line)
	}
	found, sub, err := w.Resources.Find(words[1])
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	req := admission.Request{
		Resource:    found.GroupVersionResource,
		Subresource: sub,
		User:        authenticationv1.UserInfo{Username: "ann", Groups: []string{"system:authenticated"}},
	}
	var ok bool
	if req.Kind, ok = w.Resources.KindFor(req.Resource, sub); !ok {
		t.Fatalf("%s: not served", line)
	}
	for i := 2; i < len(words); i++ {
		switch {
		case words[i] == "dry-run":
			req.DryRun = true
		case words[i] == "as" && i+1 < len(words):
			names := strings.Split(words[i+1], ",")
			req.User = authenticationv1.UserInfo{Username: names[0], Groups: names[1:]}
			i++
		default:
			req.Namespace, req.Name, ok = strings.Cut(words[i], "/")
			if !ok {
				req.Namespace, req.Name = "", req.Namespace
			}
		}
	}
	if found.Resource == "namespaces" {
		req.Namespace = req.Name
	}
	w.fill(t, &req, found, words[0], body)
	return req
}

// fill sets the operation, options and objects of a request.
func (w *World) fill(t testing.TB, req *admission.Request, found discovery.Resource, verb string, body []byte) {
	t.Helper()
	switch verb {
	case "create":
		req.Operation, req.Options = admissionv1.Create, &metav1.CreateOptions{}
	case "update":
		req.Operation, req.Options = admissionv1.Update, &metav1.UpdateOptions{}
	case "delete":
		req.Operation, req.Options = admissionv1.Delete, &metav1.DeleteOptions{}
	case "connect":
		req.Operation = admissionv1.Connect
	default:
		t.Fatalf("unknown verb %q", verb)
	}
	if verb == "update" || verb == "delete" {
		key := cluster.Key{GroupKind: found.Kind.GroupKind(), Name: req.Name}
		if found.Namespaced {
			key.Namespace = req.Namespace
		}
		old, exists := w.State.Find(key)
		if !exists {
			t.Fatalf("%s %s: there is none", verb, req.Name)
		}
		req.OldObject = old.Object
	}
	if verb != "delete" {
		req.Object = w.Decode(t, body)
	}
}
