package expression

import (
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
)

// compiled is an expression, and what it may evaluate to.
type compiled struct {
	text  string
	types []*cel.Type
}

func (c compiled) GetExpression() string    { return c.text }
func (c compiled) ReturnTypes() []*cel.Type { return c.types }

// Environments that are made when they are needed compile what the server's own do, and
// refuse the rest in the same words.
func TestEnvironments(t *testing.T) {
	d := newDialect(version.MajorMinor(1, 36))
	upstream := plugincel.NewCompiler(d.base())
	expressions := []compiled{
		{"object.spec.replicas > 1", []*cel.Type{cel.BoolType}},
		{"request.userInfo.username", []*cel.Type{cel.BoolType}},
		{"namespaceObject.metadata.name", []*cel.Type{cel.StringType, cel.NullType}},
		{"1", []*cel.Type{cel.StringType, cel.NullType}},
		{"'x'", []*cel.Type{cel.AnyType}},
		{"object.", []*cel.Type{cel.BoolType}},
		{"params.x == 1", []*cel.Type{cel.BoolType}},
		{"authorizer.group('').resource('pods').check('get').allowed()", []*cel.Type{cel.BoolType}},
		{"authorizer.requestResource.check('get').allowed()", []*cel.Type{cel.BoolType}},
		{"Object{}", []*cel.Type{cel.AnyType}},
	}
	for _, params := range []bool{false, true} {
		for _, authorizer := range []bool{false, true} {
			for _, patches := range []bool{false, true} {
				declares := declarations{HasParams: params, HasAuthorizer: authorizer, HasPatchTypes: patches}
				for _, e := range expressions {
					for _, mode := range []mode{ofRelease, ofNewest} {
						got, want := d.compiler().CompileCELExpression(e, declares, mode), upstream.CompileCELExpression(e, declares, mode)
						if diff := cmp.Diff(summary(want), summary(got)); diff != "" {
							t.Errorf("%q with %+v (-server +admsim):\n%s", e.text, declares, diff)
						}
					}
				}
			}
		}
	}
}

// summary is what can be compared of a program.
func summary(p program) map[string]string {
	s := map[string]string{}
	if p.Error != nil {
		s["kind"], s["error"] = string(p.Error.Type), p.Error.Detail
	}
	if p.OutputType != nil {
		s["type"] = p.OutputType.String()
	}
	return s
}
