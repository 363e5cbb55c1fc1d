package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/objects"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/rbac"
	"github.com/admsim/admsim/pkg/trace"
)

// TestScenarios plays testdata/PLUGIN/*.txtar: requests that the plugin alone is asked
// about, and what it did. A file's first lines say which behaviour it shows; then come
//
//	-- release --              the release, where it is not the newest one with the plugin
//	-- flags --                feature gates and APIs, as Gate=true group/version=true
//	-- configuration.yaml --   the plugin's part of the admission configuration
//	-- backend.yaml --         the answers of the service that the plugin asks
//	-- cluster.yaml --         the objects that exist before
//	-- VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE/]NAME [dry-run] [validating] [once] [after TIME] [as USER[,GROUP…]] --
//	-- want --                 what became of the request before it
//
// The verbs are create, update, delete and connect; the body is the whole object, or the
// options of a connection, which is defaulted as the server does. Nothing else is done to it between the phases. What is admitted
// becomes part of the cluster, dry runs aside. The clock moves by what is said after "after"
// only. "validating" leaves out the mutating phase: a
// webhook may have undone what the plugin did there. "once" leaves out the check that a second
// round finds nothing to do, where the server itself does not hold to that.
func TestScenarios(t *testing.T) {
	golden.Play(t, "testdata/*/*.txtar", func(t *testing.T, a *golden.Archive) {
		w := newWorld(t, filepath.Base(filepath.Dir(a.Path)), a.Archive)
		a.Steps(t, func(name string, body []byte) string {
			switch name {
			case "release", "flags", "configuration.yaml", "backend.yaml", "cluster.yaml": // newWorld reads them
				return ""
			}
			return w.play(t, name, body)
		})
	})
}

// A world is a cluster and one plugin.
type world struct {
	release   *kubeversion.Release
	resources *discovery.Resources
	types     *objects.Types
	state     *cluster.State
	chain     *chain.Chain
	backend   *dispatch.Mock
	now       time.Time
}

func newWorld(t testing.TB, folder string, archive *txtar.Archive) *world {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	w := &world{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	var known kubeversion.Plugin
	w.release, known = releaseOf(t, files, folder)
	w.resources = discovery.New(w.release, nil)
	w.types = objects.New(func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		r, ok := w.resources.ForKind(gvk)
		return objects.Resource{Namespaced: r.Namespaced, Storage: r.Storage}, ok
	}, objects.Options{})
	w.fill(t, files["cluster.yaml"])
	w.backend = mockOf(t, files["backend.yaml"])

	plugin, ok, err := New(known.Name, w.options(t, files["configuration.yaml"]))
	if err != nil || !ok {
		t.Fatalf("New(%s): %v, %v", known.Name, ok, err)
	}
	if (plugin.Mutator != nil) != known.Mutates || (plugin.Validator != nil) != known.Validates {
		t.Errorf("%s: mutates %v, validates %v; the release says %v, %v", known.Name,
			plugin.Mutator != nil, plugin.Validator != nil, known.Mutates, known.Validates)
	}
	plugin.Operations = known.Operations
	w.chain = chain.New(plugin)
	return w
}

func (w *world) options(t testing.TB, configuration []byte) Options {
	t.Helper()
	o := Options{
		Release:    w.release,
		Resources:  w.resources,
		Types:      w.types,
		Authorizer: rbac.New(w.state),
		Backends:   func(string, string) dispatch.Backend { return w.backend },
		Create:     w.create,
		Now:        func() time.Time { return w.now },
		NewUID:     func() types.UID { return "00000000-0000-4000-8000-000000000001" },
		Suffix:     func() string { return "xxxxx" },
	}
	if configuration != nil {
		var err error
		if o.Configuration, err = yaml.YAMLToJSON(configuration); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func mockOf(t testing.TB, answers []byte) *dispatch.Mock {
	t.Helper()
	var list []dispatch.Answer
	if err := yaml.Unmarshal(answers, &list); err != nil {
		t.Fatal(err)
	}
	mock, err := dispatch.NewMock(nil, list...)
	if err != nil {
		t.Fatal(err)
	}
	return mock
}

// create creates an object for a plugin, without asking any plugin.
func (w *world) create(_ context.Context, _ *cluster.State, object runtime.Object) (cluster.Object, *metav1.Status, error) {
	gvk := object.GetObjectKind().GroupVersionKind()
	resource, _ := w.resources.ForKind(gvk)
	write := objects.Write{Resource: resource.GroupVersionResource, Kind: gvk, Name: cluster.KeyOf(object).Name}
	object = w.types.PrepareForCreate(w.types.Default(object), write)
	if errs := w.types.Validate(object, write); len(errs) > 0 {
		return cluster.Object{}, admission.StatusOf(apierrors.NewInvalid(gvk.GroupKind(), write.Name, errs)), nil
	}
	return cluster.Object{Object: object}, nil, nil
}

// releaseOf is the release of a scenario, and the plugin's place in it.
func releaseOf(t testing.TB, files map[string][]byte, folder string) (*kubeversion.Release, kubeversion.Plugin) {
	t.Helper()
	versions := kubeversion.Versions()
	if v := strings.TrimSpace(string(files["release"])); v != "" {
		versions = []string{v}
	}
	for _, v := range versions {
		release, err := kubeversion.Parse(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range release.Plugins {
			if strings.EqualFold(p.Name, folder) {
				return withFlags(t, release, files), p
			}
		}
	}
	t.Fatalf("no plugin %s in %s", folder, strings.Join(versions, ", "))
	return nil, kubeversion.Plugin{}
}

func withFlags(t testing.TB, release *kubeversion.Release, files map[string][]byte) *kubeversion.Release {
	t.Helper()
	flags := kubeversion.Flags{FeatureGates: map[string]bool{}, RuntimeConfig: map[string]bool{}}
	for _, flag := range strings.Fields(string(files["flags"])) {
		name, value, _ := strings.Cut(flag, "=")
		if strings.Contains(name, "/") {
			flags.RuntimeConfig[name] = value == "true"
			continue
		}
		flags.FeatureGates[name] = value == "true"
	}
	release, err := release.With(flags)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// fill puts the documents into the cluster, each with the line where it starts.
func (w *world) fill(t testing.TB, documents []byte) {
	t.Helper()
	w.state = cluster.New()
	line := 1
	for _, doc := range strings.SplitAfter(string(documents), "---\n") {
		body := strings.TrimSuffix(doc, "---\n")
		if strings.TrimSpace(body) != "" {
			object := w.decode(t, []byte(body))
			gvk := object.GetObjectKind().GroupVersionKind()
			if r, ok := w.resources.ForKind(gvk); ok {
				var err error
				if object, err = w.types.Convert(object, r.Storage); err != nil {
					t.Fatal(err)
				}
			}
			w.state = w.state.With(cluster.Object{Object: object, Source: fmt.Sprintf("cluster.yaml:%d", line)})
		}
		line += strings.Count(doc, "\n")
	}
}

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

// play runs one request through both phases, and returns what the plugin did.
func (w *world) play(t *testing.T, line string, body []byte) string {
	t.Helper()
	req := w.request(t, line, body)
	out := &bytes.Buffer{}
	pass, err := chain.Pass{State: w.state, Request: req}, error(nil)
	if !slices.Contains(strings.Fields(line), "validating") {
		if pass, err = w.chain.Mutate(context.Background(), w.state, req); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		transcribe(t, out, pass.Steps)
	}
	if pass.Denial == nil {
		w.again(t, line, pass)
		if pass, err = w.chain.Validate(context.Background(), pass.State, pass.Request, nil); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		transcribe(t, out, pass.Steps)
	}
	if out.Len() == 0 {
		return "not asked\n"
	}
	w.state = pass.State
	if pass.Denial == nil && !req.DryRun && req.Subresource == "" {
		w.write(req, pass.Request.Object)
	}
	return out.String()
}

// again checks what holds for every mutator: that it has nothing to do in a second round
// in which nobody else changed the object.
func (w *world) again(t *testing.T, line string, first chain.Pass) {
	t.Helper()
	if len(first.Steps) == 0 || slices.Contains(strings.Fields(line), "once") {
		return
	}
	second, err := w.chain.Mutate(context.Background(), first.State, first.Request)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range second.Steps {
		if step.Outcome == trace.Changed || step.Outcome.Ends() {
			t.Errorf("%s: once more, the plugin %s: %s", line, step.Outcome, step.Because)
		}
	}
}

func (w *world) write(req admission.Request, object runtime.Object) {
	if object == nil {
		w.state = w.state.Without(cluster.KeyOf(req.OldObject))
		return
	}
	w.state = w.state.With(cluster.Object{Object: object})
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
	if req.Kind, ok = w.release.KindFor(req.Resource, sub); !ok {
		t.Fatalf("%s: not served", line)
	}
	req.User = authenticationv1.UserInfo{Username: "ann", Groups: []string{"system:authenticated"}}
	for i := 2; i < len(words); i++ {
		switch {
		case words[i] == "dry-run":
			req.DryRun = true
		case words[i] == "validating", words[i] == "once": // see play, again
		case words[i] == "after" && i+1 < len(words):
			d, err := time.ParseDuration(words[i+1])
			if err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(d)
			i++
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
	old, exists := w.state.Find(key)
	if verb == "update" || verb == "delete" {
		if !exists {
			t.Fatalf("%s %s: there is none", verb, req.Name)
		}
		req.OldObject = old.Object
	}
	req.Operation = map[string]admissionv1.Operation{
		"create": admissionv1.Create, "update": admissionv1.Update,
		"delete": admissionv1.Delete, "connect": admissionv1.Connect,
	}[verb]
	switch req.Operation {
	case admissionv1.Create:
		req.Options = &metav1.CreateOptions{}
	case admissionv1.Update:
		req.Options = &metav1.UpdateOptions{}
	case admissionv1.Delete:
		req.Options = &metav1.DeleteOptions{}
		return
	case admissionv1.Connect:
	default:
		t.Fatalf("%q is no verb of a scenario", verb)
	}
	req.Object = w.decode(t, body)
}

// transcribe writes what steps did, as text that is read easily.
func transcribe(t *testing.T, out io.Writer, steps []trace.Step) {
	t.Helper()
	for _, s := range steps {
		fmt.Fprintf(out, "%s %s: %s\n", s.Phase, s.Outcome, s.Because)
		if s.Source != "" {
			fmt.Fprintf(out, "  at %s\n", s.Source)
		}
		if s.Hint != "" {
			fmt.Fprintf(out, "  hint: %s\n", s.Hint)
		}
		if (s.Outcome == trace.Changed) != (s.Before != s.After) {
			t.Errorf("the step is %s, but before and after are the same: %v", s.Outcome, s.Before == s.After)
		}
		if s.Outcome == trace.Changed {
			for _, op := range changes(t, s.Before, s.After) {
				fmt.Fprintf(out, "  %s\n", op)
			}
		}
		for _, warning := range s.Did().Warnings {
			fmt.Fprintf(out, "  warning: %s\n", warning)
		}
		for _, a := range s.Did().Annotations {
			fmt.Fprintf(out, "  audit %s: %s\n", a.Key, a.Value)
		}
		for _, h := range s.Hooks {
			for _, call := range h.Calls {
				fmt.Fprintf(out, "  asks %s %s: %d %s\n", call.URL, bytes.TrimSpace(call.Review.Bytes()), call.Status, call.Error)
			}
		}
		for _, write := range s.Did().Writes {
			fmt.Fprintf(out, "  writes %s\n", text(t, write.Object))
		}
		if s.Denial != nil {
			fmt.Fprintf(out, "  %d %s: %s\n", s.Denial.Code, s.Denial.Reason, s.Denial.Message)
		}
	}
}

func changes(t *testing.T, before, after runtime.Object) []string {
	t.Helper()
	ops, err := patch.Diff(text(t, before), text(t, after))
	if err != nil {
		t.Fatal(err)
	}
	if len(ops) == 0 {
		t.Error("a step says that it changed the object, which is as it was")
	}
	var lines []string
	for _, op := range ops {
		line := fmt.Sprintf("%s %s", op.Op, op.Path)
		if op.Value != nil {
			line += " " + string(op.Value)
		}
		lines = append(lines, line)
	}
	return lines
}

func text(t *testing.T, object runtime.Object) []byte {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
