package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/objects"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/rbac"
	"github.com/admsim/admsim/pkg/trace"
)

// TestScenarios plays testdata/*.txtar: requests that both plugins are asked about, in
// their order, and what they did. A file's first lines say which behaviour it shows; then
// come
//
//	-- explain --        what is skipped is listed, too, and the values of variables
//	-- cluster.yaml --   the objects that exist before
//	-- VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE/]NAME [dry-run] [as USER[,GROUP…]] --
//	-- want --           what became of the request before it
//
// The verbs are create, update, delete and connect; the body is the whole object, which is
// defaulted as the server does. Nothing else is done to it between the phases.
func TestScenarios(t *testing.T) {
	golden.Play(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		var w *world
		explain := false
		a.Steps(t, func(name string, body []byte) string {
			switch name {
			case "explain":
				explain = true
			case "cluster.yaml":
				w = newWorld(t, body, explain)
			default:
				return w.play(t, name, body)
			}
			return ""
		})
	})
}

// A world is a cluster and the two plugins.
type world struct {
	release   *kubeversion.Release
	resources *discovery.Resources
	types     *objects.Types
	state     *cluster.State
	options   Options
	chain     *chain.Chain
}

func newWorld(t testing.TB, documents []byte, explain bool) *world {
	t.Helper()
	w := &world{release: kubeversion.Default(), state: cluster.New()}
	w.serve()
	w.fill(t, documents)
	w.serve() // the CRDs as well
	w.options = Options{
		Types:       w.types,
		Resources:   w.resources,
		Expressions: expression.New(w.release),
		Authorizer:  rbac.New(w.state),
		Schemas:     &patch.Schemas{},
		Explain:     explain,
		Variables:   explain,
	}
	mutating, err := NewMutating(w.state, w.options, nil)
	if err != nil {
		t.Fatal(err)
	}
	validating, err := NewValidating(w.state, w.options, nil)
	if err != nil {
		t.Fatal(err)
	}
	var links []chain.Plugin
	for _, p := range w.release.Plugins {
		switch p.Name {
		case "MutatingAdmissionPolicy":
			links = append(links, chain.Plugin{Name: p.Name, Operations: p.Operations, Mutator: mutating})
		case "ValidatingAdmissionPolicy":
			links = append(links, chain.Plugin{Name: p.Name, Operations: p.Operations, Validator: validating})
		}
	}
	w.chain = chain.New(links...)
	return w
}

func (w *world) serve() {
	w.resources = discovery.New(w.release, w.state)
	w.types = objects.New(func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		r, ok := w.resources.ForKind(gvk)
		return objects.Resource{Namespaced: r.Namespaced, Storage: r.Storage, CRD: r.CRD}, ok
	}, objects.Options{})
}

// fill puts the documents into the cluster, each with the line where it starts. CRDs come
// before their objects.
func (w *world) fill(t testing.TB, documents []byte) {
	t.Helper()
	line := 1
	for _, doc := range strings.SplitAfter(string(documents), "---\n") {
		if body := strings.TrimSuffix(doc, "---\n"); strings.TrimSpace(body) != "" {
			object := w.decode(t, []byte(body))
			w.state = w.state.With(cluster.Object{Object: object, Source: fmt.Sprintf("cluster.yaml:%d", line)})
			if _, is := object.(*apiextensionsv1.CustomResourceDefinition); is {
				w.serve()
			}
		}
		line += strings.Count(doc, "\n")
	}
}

// decode reads a document as it is stored.
func (w *world) decode(t testing.TB, document []byte) runtime.Object {
	t.Helper()
	data, err := yaml.YAMLToJSON(document)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, document)
	}
	var kind metav1.TypeMeta
	if err := json.Unmarshal(data, &kind); err != nil {
		t.Fatal(err)
	}
	object, _, err := w.types.Decode(data, kind.GroupVersionKind(), objects.Strict)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, document)
	}
	return object
}

// play runs one request through both phases, and returns what the plugins did.
func (w *world) play(t *testing.T, line string, body []byte) string {
	t.Helper()
	req := w.request(t, line, body)
	out := &bytes.Buffer{}
	pass, err := w.chain.Mutate(context.Background(), w.state, req)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	transcribe(t, out, pass.Steps)
	if pass.Denial == nil {
		if pass, err = w.chain.Validate(context.Background(), pass.State, pass.Request, nil); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		transcribe(t, out, pass.Steps)
	}
	return out.String()
}

// request reads a line such as "update pods/resize shop/web dry-run as ann,devs".
func (w *world) request(t testing.TB, line string, body []byte) admission.Request {
	t.Helper()
	words := strings.Fields(line)
	if len(words) < 2 {
		t.Fatalf("want a verb and a resource: %q", line)
	}
	var req admission.Request
	found, sub, err := w.resources.Find(words[1])
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	req.Resource, req.Subresource = found.GroupVersionResource, sub
	var ok bool
	if req.Kind, ok = w.resources.KindFor(req.Resource, sub); !ok {
		t.Fatalf("%s: not served", line)
	}
	req.User = authenticationv1.UserInfo{Username: "ann", Groups: []string{"system:authenticated"}}
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
	w.objectsOf(t, &req, found, words[0], body)
	return req
}

func (w *world) objectsOf(t testing.TB, req *admission.Request, found discovery.Resource, verb string, body []byte) {
	t.Helper()
	key := cluster.Key{GroupKind: found.Kind.GroupKind(), Name: req.Name}
	if found.Namespaced {
		key.Namespace = req.Namespace
	}
	if old, exists := w.state.Find(key); exists && (verb == "update" || verb == "delete") {
		req.OldObject = old.Object
	}
	switch verb {
	case "create":
		req.Operation, req.Options = admissionv1.Create, &metav1.CreateOptions{}
	case "update":
		req.Operation, req.Options = admissionv1.Update, &metav1.UpdateOptions{}
	case "delete":
		req.Operation, req.Options = admissionv1.Delete, &metav1.DeleteOptions{}
		return
	case "connect":
		req.Operation = admissionv1.Connect
	default:
		t.Fatalf("%q is no verb of a scenario", verb)
	}
	req.Object = w.decode(t, body)
}

// transcribe writes what steps did, as text that is read easily.
func transcribe(t *testing.T, out io.Writer, steps []trace.Step) {
	t.Helper()
	for _, s := range steps {
		fmt.Fprintf(out, "%s round %d %s: %s\n", s.Phase, s.Round, s.Outcome, s.Because)
		if s.Source != "" {
			fmt.Fprintf(out, "  at %s\n", s.Source)
		}
		if s.Did().Reinvoke && s.Round == 0 {
			fmt.Fprintf(out, "  asks for a second round\n")
		}
		if (s.Outcome == trace.Changed) != (s.Before != s.After) && s.Phase == trace.Mutating {
			t.Errorf("the step is %s, but before and after are the same: %v", s.Outcome, s.Before == s.After)
		}
		if s.Outcome == trace.Changed {
			writeChanges(t, out, s.Before, s.After)
		}
		for _, warning := range s.Did().Warnings {
			fmt.Fprintf(out, "  warning: %s\n", warning)
		}
		for _, a := range s.Did().Annotations {
			fmt.Fprintf(out, "  audit %s: %s\n", a.Key, a.Value)
		}
		if s.Denial != nil {
			fmt.Fprintf(out, "  %d %s: %s\n", s.Denial.Code, s.Denial.Reason, s.Denial.Message)
			for _, c := range causesOf(s.Denial) {
				fmt.Fprintf(out, "    cause: %s\n", c.Message)
			}
		}
		for _, h := range s.Hooks {
			transcribeHook(out, h)
		}
	}
}

func transcribeHook(out io.Writer, h trace.Hook) {
	names := slices.DeleteFunc([]string{h.Configuration, h.Name, h.Param}, func(s string) bool { return s == "" })
	fmt.Fprintf(out, "  [%s] %s: %s\n", strings.Join(names, ", "), h.Outcome, h.Because)
	for _, e := range h.Expressions {
		name := e.Field
		if e.Name != "" {
			name += " " + e.Name
		}
		fmt.Fprintf(out, "    %s: %s%s", name, e.Value, e.Error)
		if e.Message != "" && e.Message != e.Error {
			fmt.Fprintf(out, ", says %q", e.Message)
		}
		fmt.Fprintf(out, " (cost %d of %d)\n", e.Cost, e.Budget)
	}
}

func writeChanges(t *testing.T, out io.Writer, before, after runtime.Object) {
	t.Helper()
	ops, err := patch.Diff(jsonOf(t, before), jsonOf(t, after))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		fmt.Fprintf(out, "  %s %s %s\n", op.Op, op.Path, op.Value)
	}
}

func jsonOf(t testing.TB, object runtime.Object) []byte {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func causesOf(s *metav1.Status) []metav1.StatusCause {
	if s.Details == nil {
		return nil
	}
	return s.Details.Causes
}
