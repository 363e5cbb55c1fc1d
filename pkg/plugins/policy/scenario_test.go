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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/pluginworld"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// TestScenarios runs testdata/*.txtar: requests to both plugins, in their order, and what they did. The first lines of
// a file say which behaviour it shows; then come
//
//	-- release --        its version, if it is not the newest
//	-- explain --        also lists what is skipped, and the values of variables
//	-- cluster.yaml --   the objects that exist before
//	-- VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE/]NAME [dry-run] [as USER[,GROUP…]] --
//	-- want --           the result of the previous request
//
// The verbs are create, update, delete and connect; the body is the whole object, with defaults set as the server does.
// Nothing else is done to it between the phases.
func TestScenarios(t *testing.T) {
	golden.Play(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		var w *world
		release, explain := kubeversion.Default(), false
		a.Steps(t, func(name string, body []byte) string {
			switch name {
			case "release":
				var err error
				if release, err = kubeversion.Parse(strings.TrimSpace(string(body))); err != nil {
					t.Fatal(err)
				}
			case "explain":
				explain = true
			case "cluster.yaml":
				w = newWorld(t, release, body, explain)
			default:
				return w.play(t, name, body)
			}
			return ""
		})
	})
}

// A world is a cluster and the two plugins.
type world struct {
	*pluginworld.World
	options Options
	chain   *chain.Chain
}

func newWorld(t testing.TB, release *kubeversion.Release, documents []byte, explain bool) *world {
	t.Helper()
	w := &world{World: pluginworld.New(t, release, documents)}
	w.options = Options{
		Types:             w.Types,
		Resources:         w.Resources,
		Expressions:       expression.New(release),
		Authorizer:        rbac.New(w.State),
		Explain:           explain,
		AuditsAll:         release.Has(kubeversion.AllAuditFailures),
		Namespaces:        release.Has(kubeversion.CELNamespaces),
		LooksUpNamespaces: release.Has(kubeversion.CELNamespacesLookedUp),
		Variables:         explain,
	}
	mutating, err := NewMutating(w.State, w.options, nil)
	if err != nil {
		t.Fatal(err)
	}
	validating, err := NewValidating(w.State, w.options, nil)
	if err != nil {
		t.Fatal(err)
	}
	var links []chain.Plugin
	for _, p := range release.Plugins {
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

// play runs one request through both phases, and returns what the plugins did.
func (w *world) play(t *testing.T, line string, body []byte) string {
	t.Helper()
	req := w.Request(t, line, body)
	out := &bytes.Buffer{}
	pass, err := w.chain.Mutate(context.Background(), w.State, req)
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

// transcribe writes what steps did in readable form.
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
		for _, sent := range s.Did().Sent {
			fmt.Fprintf(out, "  the server asks itself: %s %s %s: %d\n", sent.Verb, sent.Resource.Resource, sent.Name, sent.Code)
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
			for _, h := range s.Did().Alternatives {
				fmt.Fprintf(out, "  or %d %s: %s\n", h.Denial.Code, h.Denial.Reason, h.Denial.Message)
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
