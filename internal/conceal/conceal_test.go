package conceal_test

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

func secret(name, value string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
		Data:       map[string][]byte{"k": []byte(value)},
	}
}

func world(objects ...runtime.Object) *cluster.State {
	state := cluster.New()
	for _, o := range objects {
		state = state.With(cluster.Object{Object: o})
	}
	return state
}

func about(object runtime.Object, hooks ...trace.Hook) trace.Admission {
	return trace.Admission{
		Request: admission.Request{Kind: object.GetObjectKind().GroupVersionKind(), Object: object, Namespace: "shop", Name: "web"},
		Steps:   []trace.Step{{Plugin: "ValidatingAdmissionPolicy", Hooks: hooks}},
	}
}

// No text shows a secret that it repeats, wherever the secret came from. Secrets of the request are numbered, so that
// the same secret gets the same word.
func TestIn(t *testing.T) {
	const said = "the word is hunter2-horse"
	kind := schema.GroupKind{Kind: "Secret"}
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	for _, tt := range []struct {
		reason string
		behind conceal.Behind
		want   string // the text that is shown
	}{
		{"a Secret of the world", conceal.Behind{States: []*cluster.State{world(secret("s", "hunter2-horse"))}}, "the word is REDACTED"},
		{"of the world that a request found", conceal.Behind{Asked: []conceal.Request{{State: world(secret("s", "hunter2-horse"))}}}, "the word is REDACTED"},
		{"a short word that a Secret of the world has is in any text", conceal.Behind{States: []*cluster.State{world(secret("s", "word"))}}, said},
		{"of the second of two worlds", conceal.Behind{States: []*cluster.State{world(), world(secret("s", "hunter2-horse"))}}, "the word is REDACTED"},
		{"a body that was refused", conceal.Behind{Asked: []conceal.Request{{Kind: kind, Body: []byte(`{"kind":"Secret","stringData":{"k":"hunter2-horse"}}`)}}}, "the word is REDACTED-1"},
		{"a body that is a JSON patch", conceal.Behind{Asked: []conceal.Request{{Kind: kind, Body: []byte(`[{"op":"add","path":"/stringData/k","value":"hunter2-horse"}]`)}}}, "the word is REDACTED-1"},
		{"a body that is no JSON has none", conceal.Behind{Asked: []conceal.Request{{Kind: kind, Body: []byte(`hunter2-horse`)}}}, said},
		{"the object of a request", conceal.Behind{Admissions: []trace.Admission{about(secret("s", "hunter2-horse"))}}, "the word is REDACTED-1"},
		{"what a webhook made of it", conceal.Behind{Admissions: []trace.Admission{about(secret("s", "x"), trace.Hook{After: secret("s", "hunter2-horse")})}}, "the word is REDACTED-2"},
		{"an object that was answered", conceal.Behind{
			Asked: []conceal.Request{{Kind: kind}}, Objects: []runtime.Object{secret("s", "hunter2-horse")},
		}, "the word is REDACTED-1"},
		{"what an expression made of the object", conceal.Behind{Admissions: []trace.Admission{about(secret("s", "x"), trace.Hook{
			Expressions: []trace.Expression{{Field: "validations[0].messageExpression", Text: "object.data.k.lowerAscii()", Value: `"hunter2-horse"`}},
		})}}, "the word is REDACTED-2"},
		{"a param that the world has", conceal.Behind{
			States:     []*cluster.State{world(secret("token", "hunter2-horse"))},
			Admissions: []trace.Admission{about(pod, trace.Hook{Param: "Secret shop/token"})},
		}, "the word is REDACTED-1"},
		{"the name of the object is shown anyway", conceal.Behind{Admissions: []trace.Admission{about(secret("hunter2-horse", "hunter2-horse"))}}, said},
		{"as is that of another object", conceal.Behind{States: []*cluster.State{world(secret("s", "hunter2-horse"), secret("hunter2-horse", "x"))}}, said},
		{"also if the request has the secret", conceal.Behind{
			States:     []*cluster.State{world(secret("hunter2-horse", "x"))},
			Admissions: []trace.Admission{about(secret("s", "hunter2-horse"))},
		}, said},
		{"as is what the caller says", conceal.Behind{Admissions: []trace.Admission{about(secret("s", "hunter2-horse"))}, Public: []string{"hunter2-horse"}}, said},
	} {
		redactor, err := redact.New()
		if err != nil {
			t.Fatal(err)
		}
		pass := conceal.In(redactor, tt.behind)
		if pass == nil {
			t.Errorf("%s: there is no pass", tt.reason)
			continue
		}
		if got := pass.Text(said); got != tt.want {
			t.Errorf("%s: Text(%q) = %q, want %q", tt.reason, said, got, tt.want)
		}
		if conceal.In(nil, tt.behind) != nil {
			t.Errorf("%s: there is a pass without a redactor", tt.reason)
		}
	}
}

// Values that Kubernetes does not regard as secret, and names of what a server has, are not searched for.
func TestInNames(t *testing.T) {
	redactor, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	token := secret("token", "hunter2-horse")
	token.Type = corev1.SecretTypeServiceAccountToken
	token.Data["namespace"], token.Data["ca.crt"] = []byte("somewhere"), []byte("certificate of the server")
	kinds := secret("kinds", "ConfigMap")
	kinds.Data["resource"], kinds.Data["group"], kinds.Data["version"] = []byte("networkpolicies"), []byte("networking.k8s.io"), []byte("storage.k8s.io/v1")
	const text = "in somewhere, the certificate of the server; configmaps ConfigMap networkpolicies.networking.k8s.io storage.k8s.io/v1"
	pass := conceal.In(redactor, conceal.Behind{States: []*cluster.State{world(token, kinds)}})
	if got, want := pass.Text("hunter2-horse "+text), "REDACTED "+text; got != want {
		t.Errorf("Text() = %q, want %q", got, want)
	}
}

// If there cannot be a secret, there is no pass, and nothing has to be searched.
func TestInNothing(t *testing.T) {
	redactor, err := redact.New("ConfigMap:data.password")
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	config := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}
	for _, tt := range []struct {
		reason string
		behind conceal.Behind
		want   bool
	}{
		{"nothing at all", conceal.Behind{}, false},
		{"a pod in a world without Secrets", conceal.Behind{States: []*cluster.State{world(pod)}, Admissions: []trace.Admission{about(pod)}}, false},
		{"params that are no secrets", conceal.Behind{Admissions: []trace.Admission{about(pod, trace.Hook{Param: "Limit shop/l"})}}, false},
		{"params that are Secrets", conceal.Behind{Admissions: []trace.Admission{about(pod, trace.Hook{Param: "Secret shop/l"})}}, true},
		{"a kind with a path of the user's", conceal.Behind{Admissions: []trace.Admission{about(config)}}, true},
	} {
		if got := conceal.In(redactor, tt.behind) != nil; got != tt.want {
			t.Errorf("%s: there is a pass: %v, want %v", tt.reason, got, tt.want)
		}
	}
}

// An expression shows its value unless it is made of a secret, whether the expression read the secret itself or through
// a variable.
func TestExpressions(t *testing.T) {
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Variables: []admissionregistrationv1.Variable{{Name: "key", Expression: "object.data.k"}, {Name: "name", Expression: "object.metadata.name"}},
		},
	}
	for _, tt := range []struct {
		reason string
		of     trace.Expression
		want   trace.Expression // the value and the error
	}{
		{"what is no secret", trace.Expression{Text: "object.metadata.name", Value: `"web"`}, trace.Expression{Value: `"web"`}},
		{"a secret", trace.Expression{Text: "object.data.k", Value: `"aHVudGVyMi1ob3JzZQ=="`}, trace.Expression{Value: `"UkVEQUNURUQtMQ=="`}},
		{"made of a secret", trace.Expression{Text: "object.data.k + 'x'", Value: `"aHVudGVyMi1ob3JzZQ==x"`}, trace.Expression{Value: `"REDACTED-1x"`}},
		{"made of a variable that has a secret", trace.Expression{Text: "variables.key + 'x'", Value: `"aHVudGVyMi1ob3JzZQ==x"`}, trace.Expression{Value: `"REDACTED-1x"`}},
		{"made of a variable that has none", trace.Expression{Text: "variables.name + 'x'", Value: `"webx"`}, trace.Expression{Value: `"webx"`}},
		{"a param", trace.Expression{Text: "params.data.k", Value: `"cGFyYW1zLXNlY3JldA=="`}, trace.Expression{Value: `"UkVEQUNURUQtMg=="`}},
		{"an error that quotes one", trace.Expression{Text: "int(object.data.k)", Error: "type conversion error from 'string' to 'int': hunter2-horse"}, trace.Expression{Error: "type conversion error from 'string' to 'int': REDACTED-1"}},
	} {
		redactor, err := redact.New()
		if err != nil {
			t.Fatal(err)
		}
		h := trace.Hook{Configuration: "p", Param: "Secret shop/token", Expressions: []trace.Expression{tt.of}}
		state := world(policy, secret("token", "params-secret"))
		pass := conceal.In(redactor, conceal.Behind{States: []*cluster.State{state}, Admissions: []trace.Admission{about(secret("s", "hunter2-horse"), h)}})
		hook := conceal.Hook{Hook: &h, Plugin: "ValidatingAdmissionPolicy", Kind: schema.GroupKind{Kind: "Secret"}, State: state}
		got := hook.Expressions(redactor, pass)[0]
		if got.Value != tt.want.Value || got.Error != tt.want.Error {
			t.Errorf("%s: %s is %s %s, want %s %s", tt.reason, tt.of.Text, got.Value, got.Error, tt.want.Value, tt.want.Error)
		}
	}
}
