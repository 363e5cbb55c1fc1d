package differential

import (
	"context"
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiserveradmission "k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/internal/pluginworld"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/trace"
)

const typicalPolicy = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: images}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]}
  variables:
  - {name: containers, expression: "object.spec.containers + object.spec.?initContainers.orValue([])"}
  validations:
  - expression: "variables.containers.all(c, c.image.startsWith('registry.example/'))"
    messageExpression: "'images from elsewhere: ' + variables.containers.filter(c, !c.image.startsWith('registry.example/')).map(c, c.image).join(', ')"
  - expression: "variables.containers.all(c, has(c.resources) && has(c.resources.limits) && 'memory' in c.resources.limits)"
    message: all containers need a memory limit
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: images}
spec: {policyName: images, validationActions: [Deny]}
`

// pods returns a thousand pods, every second of which is refused.
func pods(b *testing.B, w *pluginworld.World) []admission.Request {
	b.Helper()
	list := make([]admission.Request, 1000)
	for i := range list {
		name, image := fmt.Sprintf("p%d", i), "registry.example/app:1"
		if i%2 == 1 {
			image = "elsewhere/app:1"
		}
		list[i] = w.Request(b, "create pods shop/"+name, fmt.Appendf(nil, `
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: shop, labels: {app: web}}
spec:
  containers:
  - {name: a, image: %s, resources: {limits: {memory: 1Gi}}}
  - {name: b, image: %s, resources: {limits: {memory: 1Gi}}}
`, name, image, image))
	}
	return list
}

// BenchmarkPolicy evaluates a typical policy on a thousand objects: with admsim's plugin, which also checks whether the
// policy applies, and with the server's own validator, which does not.
func BenchmarkPolicy(b *testing.B) {
	w := pluginworld.New(b, kubeversion.Default(), []byte(typicalPolicy))
	requests := pods(b, w)
	ctx := context.Background()
	report := func(b *testing.B, denied int) {
		b.Helper()
		if denied != len(requests)/2*b.N {
			b.Fatalf("%d denied in %d runs", denied, b.N)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(requests)), "ns/object")
	}

	b.Run("by=admsim/objects=1000", func(b *testing.B) {
		p, err := policy.NewValidating(w.State, policy.Options{
			Types: w.Types, Resources: w.Resources, Expressions: expression.New(kubeversion.Default()), Authorizer: rbac.New(w.State),
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		denied := 0
		for b.Loop() {
			for _, req := range requests {
				step, err := p.Validate(ctx, w.State, req)
				if err != nil {
					b.Fatal(err)
				}
				if step.Outcome == trace.Denied {
					denied++
				}
			}
		}
		report(b, denied)
	})
	b.Run("by=apiserver/objects=1000", func(b *testing.B) {
		key := cluster.Key{GroupKind: admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy").GroupKind(), Name: "images"}
		object, _ := w.State.Find(key)
		v := serversValidator(b, object.Object.(*admissionregistrationv1.ValidatingAdmissionPolicy))
		denied := 0
		for b.Loop() {
			for _, req := range requests {
				result := v.Validate(ctx, req.Resource, podAttributes(req), nil, nil, expression.Budget, nil)
				if result.Decisions[0].Action == validating.ActionDeny {
					denied++
				}
			}
		}
		report(b, denied)
	})
}

// serversValidator returns the server's validator for a policy.
func serversValidator(b *testing.B, p *admissionregistrationv1.ValidatingAdmissionPolicy) validating.Validator {
	b.Helper()
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		b.Fatal(err)
	}
	declares := plugincel.OptionalVariableDeclarations{HasAuthorizer: true}
	for _, v := range p.Spec.Variables {
		compiler.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, declares, environment.StoredExpressions)
	}
	var rules, messages []plugincel.ExpressionAccessor
	for _, r := range p.Spec.Validations {
		rules = append(rules, &validating.ValidationCondition{Expression: r.Expression, Message: r.Message, Reason: r.Reason})
		var message plugincel.ExpressionAccessor
		if r.MessageExpression != "" {
			message = &validating.MessageExpressionCondition{MessageExpression: r.MessageExpression}
		}
		messages = append(messages, message)
	}
	return validating.NewValidator(
		compiler.CompileCondition(rules, declares, environment.StoredExpressions), nil,
		compiler.CompileCondition(nil, declares, environment.StoredExpressions),
		compiler.CompileCondition(messages, plugincel.OptionalVariableDeclarations{}, environment.StoredExpressions),
		p.Spec.FailurePolicy, nil)
}

func podAttributes(req admission.Request) *apiserveradmission.VersionedAttributes {
	pod := req.Object.(*corev1.Pod)
	who := &user.DefaultInfo{Name: req.User.Username, Groups: req.User.Groups}
	a := apiserveradmission.NewAttributesRecord(pod, nil, req.Kind, req.Namespace, req.Name, req.Resource, "", apiserveradmission.Create, req.Options, false, who)
	return &apiserveradmission.VersionedAttributes{Attributes: a, VersionedKind: req.Kind, VersionedObject: apiserveradmission.NewLazyObject(pod)}
}
