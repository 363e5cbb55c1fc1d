package expression

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// accessor is a source in the form that the server's compiler takes.
type accessor struct{ source }

func (a accessor) GetExpression() string    { return a.text }
func (a accessor) ReturnTypes() []*cel.Type { return a.want.types() }

// theirs maps modes to the server's names for them.
var theirs = map[mode]environment.Type{ofRelease: environment.NewExpressions, ofNewest: environment.StoredExpressions}

// Environments that are created on demand compile the same expressions as the server's, and refuse others with the same
// messages.
func TestEnvironments(t *testing.T) {
	d := newDialect(37, true, &converters{}, linkage{})
	upstream := plugincel.NewCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 37)))
	expressions := []source{
		{text: "object.spec.replicas > 1", want: wantBool},
		{text: "request.userInfo.username", want: wantBool},
		{text: "namespaceObject.metadata.name", want: wantStringOrNull},
		{text: "1", want: wantStringOrNull},
		{text: "'x'", want: wantAnything},
		{text: "object.", want: wantBool},
		{text: "params.x == 1", want: wantBool},
		{text: "authorizer.group('').resource('pods').check('get').allowed()", want: wantBool},
		{text: "authorizer.requestResource.check('get').allowed()", want: wantBool},
		{text: "Object{}", want: wantAnything},
	}
	for _, params := range []bool{false, true} {
		for _, authorizer := range []bool{false, true} {
			for _, patches := range []bool{false, true} {
				declares := declarations{HasParams: params, HasAuthorizer: authorizer, HasPatchTypes: patches}
				for _, e := range expressions {
					for _, mode := range []mode{ofRelease, ofNewest} {
						got := d.compiler().compile(e, declares, mode)
						of := upstream.CompileCELExpression(accessor{e}, plugincel.OptionalVariableDeclarations(declares), theirs[mode])
						want := program{err: of.Error, output: of.OutputType}
						if diff := cmp.Diff(summary(want), summary(got)); diff != "" {
							t.Errorf("%q with %+v (-server +admsim):\n%s", e.text, declares, diff)
						}
					}
				}
			}
		}
	}
}

// summary returns what can be compared of a program.
func summary(p program) map[string]string {
	s := map[string]string{}
	if p.err != nil {
		s["kind"], s["error"] = string(p.err.Type), p.err.Detail
	}
	if p.output != nil {
		s["type"] = p.output.String()
	}
	return s
}

// Each release knows the same as in the server, except that a release without the selectors of the authorizer does not
// declare them.
func TestBaseAsServer(t *testing.T) {
	for minor := 15; minor <= 37; minor++ {
		server := environment.MustBaseEnvSet(version.MajorMinor(1, uint(minor)))
		for _, selectors := range []bool{false, true} {
			if selectors && !kubeversion.AuthorizerSelectors.In(minor) {
				continue
			}
			for mode, theirs := range theirs {
				env, err := newDialect(minor, selectors, &converters{}, linkage{}).base(mode)
				if err != nil {
					t.Fatal(err)
				}
				of, err := server.Env(theirs)
				if err != nil {
					t.Fatal(err)
				}
				want := knownIn(t, of)
				if mode == ofRelease && !selectors {
					delete(want, "function fieldSelector")
					delete(want, "function labelSelector")
					want["libraries"] = slices.DeleteFunc(want["libraries"], func(l string) bool { return l == "kubernetes.authzSelectors" })
				}
				if diff := cmp.Diff(want, knownIn(t, env)); diff != "" {
					t.Errorf("1.%d, %s, selectors %v (-server +admsim):\n%s", minor, theirs, selectors, diff)
				}
			}
		}
	}
}

// From 1.37 on, a release knows what the newest one knows.
func TestSettled(t *testing.T) {
	newest := environment.MustBaseEnvSet(version.MajorMinor(1, 37)).StoredExpressionsEnv()
	for minor := 33; minor <= 37; minor++ {
		env := environment.MustBaseEnvSet(version.MajorMinor(1, uint(minor))).NewExpressionsEnv()
		diff := cmp.Diff(knownIn(t, newest), knownIn(t, env))
		if got, want := diff == "", minor >= 37; got != want {
			t.Errorf("1.%d knows what the newest release knows: %v, want %v\n(-newest +1.%d):\n%s", minor, got, want, minor, diff)
		}
	}
}

// knownIn returns everything that is visible of an environment from outside.
func knownIn(t *testing.T, e *cel.Env) map[string][]string {
	t.Helper()
	known := map[string][]string{"libraries": e.Libraries()}
	for name, f := range e.Functions() {
		for _, o := range f.OverloadDecls() {
			known["function "+name] = append(known["function "+name], fmt.Sprint(o.ID(), o.IsMemberFunction(), o.ArgTypes(), o.ResultType()))
		}
		slices.Sort(known["function "+name])
	}
	for _, m := range e.Macros() {
		known["macros"] = append(known["macros"], m.MacroKey())
	}
	for _, v := range e.Validators() {
		known["validators"] = append(known["validators"], v.Name())
	}
	for _, v := range e.Variables() {
		known["variables"] = append(known["variables"], v.Name())
	}
	config, err := e.ToConfig("")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range config.Features {
		known["features"] = append(known["features"], fmt.Sprintf("%+v", *f))
	}
	for _, list := range known {
		slices.Sort(list)
	}
	return known
}
