package expression

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// The variables have the same types as in the server.
func TestDeclaredAsServer(t *testing.T) {
	if diff := cmp.Diff(shapeOf(plugincel.BuildRequestType()), shapeOf(requestType())); diff != "" {
		t.Errorf("request (-server +admsim):\n%s", diff)
	}
	if diff := cmp.Diff(shapeOf(plugincel.BuildNamespaceType()), shapeOf(namespaceType())); diff != "" {
		t.Errorf("namespaceObject (-server +admsim):\n%s", diff)
	}
	now, seconds := metav1.NewTime(time.Unix(1, 0)), int64(3)
	namespace := &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{
			Name: "a", GenerateName: "b", Namespace: "c", UID: "d", ResourceVersion: "e", Generation: 2, SelfLink: "f",
			CreationTimestamp: now, DeletionTimestamp: &now, DeletionGracePeriodSeconds: &seconds,
			Labels: map[string]string{"g": "h"}, Annotations: map[string]string{"i": "j"}, Finalizers: []string{"k"},
			OwnerReferences: []metav1.OwnerReference{{Name: "l"}}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
		},
		Spec:   corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{"n"}},
		Status: corev1.NamespaceStatus{Phase: "o"},
	}
	if diff := cmp.Diff(plugincel.CreateNamespaceObject(namespace), exposedFields(namespace)); diff != "" {
		t.Errorf("visible part of a namespace (-server +admsim):\n%s", diff)
	}
}

// shapeOf returns everything about a type as plain data.
func shapeOf(t *apiservercel.DeclType) any {
	if t == nil {
		return nil
	}
	shape := map[string]any{"": t.TypeName(), "type": t.CelType().String(), "key": shapeOf(t.KeyType), "element": shapeOf(t.ElemType), "most": t.MaxElements}
	for name, f := range t.Fields {
		shape["."+name] = []any{f.Name, f.Required, shapeOf(f.Type)}
	}
	return shape
}

// Variables have the types of their expressions, as with the server's compiler.
func TestVariablesAsServer(t *testing.T) {
	d := newDialect(36, true, &converters{}, linkage{})
	got := d.withVariables()
	want, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 37)))
	if err != nil {
		t.Fatal(err)
	}
	declares := declarations{HasAuthorizer: true}
	compare := func(s source, got program, of plugincel.CompilationResult) {
		t.Helper()
		if diff := cmp.Diff(summary(program{err: of.Error, output: of.OutputType}), summary(got)); diff != "" {
			t.Errorf("%q (-server +admsim):\n%s", s.text, diff)
		}
	}
	for _, text := range []string{
		"1", "1u", "1.5", "true", "null", "'x'", "b'x'", "duration('1s')", "timestamp('2026-01-01T00:00:00Z')", "[1]", "[[1], [2]]", "[]", "{'a': 1}",
		"{'a': [1]}", "{}", "object.spec", "request", "namespaceObject.metadata.labels", "authorizer", "optional.of(1)", "int", "quantity('1')", "nothing", "1 +",
		"variables.v0 + 1", "variables.v9[0]", "variables.v12.a", "variables.v22",
	} {
		name := fmt.Sprintf("v%d", len(got.compiled))
		s := source{text: text, want: wantAnything, name: name}
		of := want.CompileAndStoreVariable(named{accessor{s}}, plugincel.OptionalVariableDeclarations(declares), environment.NewExpressions)
		compare(s, got.add(s, declares, ofRelease), of)
	}
	for name := range got.compiled {
		for _, text := range []string{"variables." + name, "variables." + name + " == 1", "variables." + name + ".size() > 0", "variables." + name + "[0]"} {
			s := source{text: text, want: wantAnything}
			of := want.CompileCELExpression(accessor{s}, plugincel.OptionalVariableDeclarations(declares), environment.NewExpressions)
			compare(s, got.compile(s, declares, ofRelease), of)
		}
	}
}

// named is an accessor of a variable.
type named struct{ accessor }

func (n named) GetName() string { return n.name }
