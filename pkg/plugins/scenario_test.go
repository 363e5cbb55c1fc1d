package plugins

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/pluginworld"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// TestScenarios runs testdata/PLUGIN/*.txtar: requests to this plugin alone, and what it did. The first lines of a file
// say which behaviour it shows; then come
//
//	-- release --              the release, if it is not the newest one with the plugin
//	-- flags --                feature gates and APIs, as Gate=true group/version=true
//	-- configuration.yaml --   the plugin's part of the admission configuration
//	-- backend.yaml --         the answers of the service that the plugin calls
//	-- cluster.yaml --         the objects that exist before
//	-- VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE/]NAME [dry-run] [validating] [once] [after TIME] [as USER[,GROUP…]] --
//	-- want --                 the result of the previous request
//
// The verbs are create, update, delete and connect; the body is the whole object, or the options of a connection, with
// defaults set as the server does. Nothing else is done to it between the phases. Admitted objects become part of the
// cluster, except in dry runs. The clock only moves by the time given in "after". "validating" skips the mutating
// phase: a webhook may have undone what the plugin did there. "once" skips the check that a second round finds nothing
// to do, for cases in which this is not true of the server itself.
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
	*pluginworld.World
	release *kubeversion.Release
	chain   *chain.Chain
	backend *dispatch.Mock
	now     time.Time
}

func newWorld(t testing.TB, folder string, archive *txtar.Archive) *world {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	release, known := releaseOf(t, files, folder)
	w := &world{
		World:   pluginworld.New(t, release, files["cluster.yaml"]),
		release: release,
		backend: mockOf(t, files["backend.yaml"]),
		now:     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	plugin, ok, err := build(known.Name, w.options(t, files["configuration.yaml"]))
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
		Resources:  w.Resources,
		Types:      w.Types,
		Authorizer: rbac.New(w.Types.Cached(w.State)),
		Backends:   func(string, string) dispatch.Backend { return w.backend },
		Send:       w.send,
		Now:        func() time.Time { return w.now },
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

// send writes an object for a plugin, without asking any plugin.
func (w *world) send(_ context.Context, s *cluster.State, verb, subresource string, object runtime.Object) (trace.Sent, []cluster.Object, error) {
	gvk := object.GetObjectKind().GroupVersionKind()
	resource, _ := w.Resources.ForKind(gvk)
	write := objects.Write{Resource: resource.GroupVersionResource, Kind: gvk, Name: cluster.KeyOf(object).Name}
	if verb == "update" {
		kept, _ := s.Find(cluster.KeyOf(object))
		write.Subresource = subresource
		if errs := w.Types.ValidateUpdate(object, kept.Object, write); len(errs) > 0 {
			return refused(gvk, write.Name, errs), nil, nil
		}
		object = object.DeepCopyObject()
		m, err := meta.Accessor(object)
		if err == nil {
			m.SetResourceVersion(s.NextVersion(m.GetResourceVersion()))
		}
		return trace.Sent{}, []cluster.Object{kept.Replaced(object)}, err
	}
	if _, exists := s.Live().Find(cluster.KeyOf(object)); exists {
		status := admission.StatusOf(apierrors.NewAlreadyExists(write.Resource.GroupResource(), write.Name))
		return trace.Sent{Code: int(status.Code), Object: status}, nil, nil
	}
	object = w.Types.PrepareForCreate(w.Types.Default(object), write)
	if errs := w.Types.Validate(object, write); len(errs) > 0 {
		return refused(gvk, write.Name, errs), nil, nil
	}
	return trace.Sent{}, []cluster.Object{{Object: object}}, nil
}

func refused(kind schema.GroupVersionKind, name string, errs field.ErrorList) trace.Sent {
	status := admission.StatusOf(apierrors.NewInvalid(kind.GroupKind(), name, errs))
	return trace.Sent{Code: int(status.Code), Object: status}
}

// releaseOf returns the release of a scenario, and the plugin's place in it.
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

// play runs one request through both phases, and returns what the plugin did.
func (w *world) play(t *testing.T, line string, body []byte) string {
	t.Helper()
	req := w.request(t, line, body)
	out := &bytes.Buffer{}
	pass, err := chain.Pass{State: w.Types.Cached(w.State), Request: req}, error(nil)
	if !slices.Contains(strings.Fields(line), "validating") {
		if pass, err = w.chain.Mutate(context.Background(), w.Types.Cached(w.State), req); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		w.transcribe(t, out, pass.Steps)
	}
	if pass.Denial == nil {
		w.again(t, line, pass)
		if pass, err = w.chain.Validate(context.Background(), pass.State, pass.Request, nil); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		w.transcribe(t, out, pass.Steps)
	}
	if out.Len() == 0 {
		return "not asked\n"
	}
	w.State = pass.State.Live()
	if pass.Denial == nil && !req.DryRun && req.Subresource == "" {
		w.write(req, pass.Request.Object)
	}
	return out.String()
}

// again checks what holds for every mutator: that it has nothing to do in a second round in which nothing else changed
// the object.
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
		w.State = w.State.Without(cluster.KeyOf(req.OldObject))
		return
	}
	w.State = w.State.With(cluster.Object{Object: object})
}

// request parses the words that only these scenarios use, and moves the clock.
func (w *world) request(t testing.TB, line string, body []byte) admission.Request {
	t.Helper()
	var words []string
	for all := strings.Fields(line); len(all) > 0; all = all[1:] {
		switch {
		case all[0] == "validating", all[0] == "once": // see play, again
		case all[0] == "after" && len(all) > 1:
			d, err := time.ParseDuration(all[1])
			if err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(d)
			all = all[1:]
		default:
			words = append(words, all[0])
		}
	}
	return w.Request(t, strings.Join(words, " "), body)
}

// transcribe writes what steps did in readable form.
func (w *world) transcribe(t *testing.T, out io.Writer, steps []trace.Step) {
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
			for _, op := range w.changes(t, s.Before, s.After) {
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
			fmt.Fprintf(out, "  writes %s\n", w.text(t, write.Object))
		}
		if s.Denial != nil {
			fmt.Fprintf(out, "  %d %s: %s\n", s.Denial.Code, s.Denial.Reason, s.Denial.Message)
		}
		for _, h := range s.Did().Alternatives {
			fmt.Fprintf(out, "  or at %s %d %s: %s\n", h.Source, h.Denial.Code, h.Denial.Reason, h.Denial.Message)
			fmt.Fprintf(out, "    since %s\n", s.Did().Undetermined)
		}
	}
}

func (w *world) changes(t *testing.T, before, after runtime.Object) []string {
	t.Helper()
	ops, err := patch.Diff(w.text(t, before), w.text(t, after))
	if err != nil {
		t.Fatal(err)
	}
	if len(ops) == 0 {
		t.Error("a step says that it changed the object, which is unchanged")
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

func (w *world) text(t *testing.T, object runtime.Object) []byte {
	t.Helper()
	data, err := w.Types.Encode(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
