package space

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/space/syntax"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An expression that is said not to fail for a built-in object does not fail for an object in which only what the
// server sets is set.
func TestFieldsOfZeroObjects(t *testing.T) {
	newest := kubeversion.Default()
	w := World{Release: newest, State: newGenerator(1).world().State}
	w.Resources = discovery.New(newest, w.State)
	s := New([]World{w})
	types := kinds.New(nil, objects.Options{Release: newest})
	known := 0
	for _, kind := range builtin.Kinds() {
		o, _ := builtin.New(kind)
		if _, ok := o.(metav1.Object); !ok { // lists, and options of requests
			continue
		}
		o.GetObjectKind().SetGroupVersionKind(kind)
		o = types.Default(o)
		for _, text := range []string{
			"has(object.spec.nodeName)", "has(object.spec.template.spec.x)", "has(object.status.phase)", "has(object.metadata.annotations)", "object.kind == 'Pod'",
			"object.involvedObject.name == 'x'", "has(object.scaleTargetRef.x)", "object.spec.scaleTargetRef.kind.startsWith('x')", "object.spec.containers.size() > 1",
			"object.spec.names.plural == 'x'", "object.provisioner.contains('x')", "object.spec.holderIdentity == 'x'", "has(object.spec.minAvailable.x)", "object.spec.replicas > 3", "object.spec.minReplicas == 2 && object.spec.minReplicas < 3", "object.spec.template.spec.restartPolicy == 'Never'", "has(object.spec.securityContext.runAsUser)", "object.spec.suspend == true",
		} {
			e := &Endpoint{Operation: admissionv1.Create, Kind: kind}
			r := &conditionReader{&regionBuilder{Space: s}, e, kind, ""}
			if _, ok := r.typed(syntax.Parse(text), nil); !ok {
				continue
			}
			known++
			one := w.expressions().Conditions([]admissionregistrationv1.MatchCondition{{Name: "x", Expression: text}})
			is := one.Evaluate(context.Background(), expression.Input{Request: admission.Request{Operation: admissionv1.Create, Kind: kind, Object: o}, Kind: kind, Object: o})
			if failure := is.Failure(); failure != nil {
				t.Errorf("%s of an empty %s is said not to fail, but: %v", text, kind.Kind, fmt.Sprint(failure))
			}
		}
	}
	if known < 200 {
		t.Errorf("%d expressions are too few for this test", known)
	}
}
