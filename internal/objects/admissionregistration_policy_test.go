package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const podRules = `{"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}`

// The errors about policies and bindings, except for those about expressions (W-300, W-321).
func TestValidatePolicies(t *testing.T) {
	const (
		validating        = "ValidatingAdmissionPolicy"
		mutating          = "MutatingAdmissionPolicy"
		validatingBinding = "ValidatingAdmissionPolicyBinding"
		mutatingBinding   = "MutatingAdmissionPolicyBinding"
	)
	for _, tt := range []struct {
		reason, kind, spec string
		want               []string
	}{
		{"a policy", validating, `{"matchConstraints": ` + podRules + `}`, nil},
		{"no matchConstraints", validating, `{}`, []string{"spec.matchConstraints: Required value"}},
		{"a paramKind with two slashes", validating, `{"paramKind": {"apiVersion": "a/b/c", "kind": "K"}, "matchConstraints": ` + podRules + `}`, []string{
			`spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
		}},
		{"a paramKind without version and kind", validating, `{"paramKind": {"apiVersion": "a/"}, "matchConstraints": ` + podRules + `}`, []string{
			`spec.paramKind.apiVersion: Invalid value: "a/": version must be specified`,
			"spec.paramKind.kind: Required value",
		}},
		{"a core paramKind", validating, `{"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "matchConstraints": ` + podRules + `}`, nil},
		{"no reinvocationPolicy", mutating, `{"matchConstraints": ` + podRules + `}`, []string{"spec.reinvocationPolicy: Required value"}},
		{"mutation on DELETE, excluded or not", mutating, `{"reinvocationPolicy": "Never", "matchConstraints": {
			"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["pods"]}],
			"excludeResourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["pods"]}]}}`, []string{
			`spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`,
		}},
		{"a binding", validatingBinding, `{"policyName": "p", "validationActions": ["Deny", "Audit"]}`, nil},
		{"no actions", validatingBinding, `{"policyName": "p"}`, []string{"spec.validationActions: Required value"}},
		{"duplicate and conflicting actions", validatingBinding, `{"policyName": "p", "validationActions": ["Deny", "Warn", "Deny"]}`, []string{
			`spec.validationActions[2]: Duplicate value: "Deny"`,
			`spec.validationActions: Invalid value: ["Deny","Warn","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`,
		}},
		{"params by name and selector", mutatingBinding, `{"policyName": "p", "paramRef": {"name": "a", "selector": {}}}`, []string{
			"spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
			"spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
			"spec.paramRef.parameterNotFoundAction: Required value",
		}},
		{"an unknown parameterNotFoundAction", mutatingBinding, `{"policyName": "p", "paramRef": {"name": "a", "parameterNotFoundAction": "Panic"}}`, []string{
			`spec.paramRef.parameterNotFoundAction: Unsupported value: "Panic": supported values: "Deny", "Allow"`,
		}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			gvk := admissionregistrationv1.SchemeGroupVersion.WithKind(tt.kind)
			types := kinds.New(nil, objects.Options{})
			obj, _, err := types.Decode([]byte(`{"metadata": {"name": "o"}, "spec": `+tt.spec+`}`), gvk, objects.Strict)
			if err != nil {
				t.Fatal(err)
			}
			got := texts(types.Validate(obj, objects.Write{}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Validate() differs (-want +got):\n%s", diff)
			}
		})
	}
}

// The expressions of a policy are checked by the functions in the options, which get the old policy on an update. An
// update of the status does not call them.
func TestPolicyExpressionsAreChecked(t *testing.T) {
	var olds []string
	types := kinds.New(nil, objects.Options{
		CheckValidatingPolicy: func(policy, old *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
			if old == nil {
				old = &admissionregistrationv1.ValidatingAdmissionPolicy{}
			}
			olds = append(olds, old.Name)
			return field.ErrorList{field.Invalid(field.NewPath("spec"), policy.Name, "checked")}
		},
	})
	policy := func(status string) runtime.Object {
		p := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		data := `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
			"metadata": {"name": "p", "resourceVersion": "1"}, "spec": {"matchConstraints": ` + podRules + `}, "status": ` + status + `}`
		if err := json.UnmarshalCaseSensitivePreserveInts([]byte(data), p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	texts := func(errs field.ErrorList) (list []string) {
		for _, e := range errs {
			list = append(list, e.Error())
		}
		return list
	}
	checked := []string{`spec: Invalid value: "p": checked`}
	if diff := cmp.Diff(checked, texts(types.Validate(policy("{}"), objects.Write{}))); diff != "" {
		t.Errorf("on create (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(checked, texts(types.ValidateUpdate(policy("{}"), policy("{}"), objects.Write{}))); diff != "" {
		t.Errorf("on update (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "p"}, olds); diff != "" {
		t.Errorf("the policies before (-want +got):\n%s", diff)
	}
	bad := `{"typeChecking": {"expressionWarnings": [{"fieldRef": "spec.validations[0", "warning": ""}]}}`
	got := texts(types.ValidateUpdate(policy(bad), policy("{}"), objects.Write{Subresource: "status"}))
	want := []string{
		"status.typeChecking.expressionWarnings[0].warning: Required value",
		`status.typeChecking.expressionWarnings[0].fieldRef: Invalid value: "spec.validations[0": invalid JSONPath: unterminated array`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of the status (-want +got):\n%s", diff)
	}
}

// Since 1.36, names that are reserved for configurations in the server's files cause warnings (W-053):
// kubernetes/kubernetes:pkg/apis/admissionregistration/validation/static_suffix.go.
func TestStaticNames(t *testing.T) {
	reserved := `metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`
	for _, tt := range []struct {
		name, release string
		want          []string
	}{
		{"p.static.k8s.io", "1.36", []string{reserved}},
		{"p.static.k8s.io", "1.35", nil},
		{"static.k8s.io", "1.36", nil},
		{"p.static.k8s.io.example", "1.36", nil},
	} {
		release, err := kubeversion.Parse(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		for _, object := range []runtime.Object{
			&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: tt.name}},
			&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: tt.name}},
			&admissionregistrationv1.MutatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: tt.name}},
			&admissionregistrationv1.MutatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: tt.name}},
			&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: tt.name}},
			&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: tt.name}},
		} {
			kinds, _, err := clientgoscheme.Scheme.ObjectKinds(object)
			if err != nil {
				t.Fatal(err)
			}
			object.GetObjectKind().SetGroupVersionKind(kinds[0])
			for what, got := range map[string][]string{
				"on create": types.WarningsOnCreate(object, objects.Write{Kind: kinds[0]}),
				"on update": types.WarningsOnUpdate(object, object, objects.Write{Kind: kinds[0]}),
			} {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("a %s %s, %s, %s (-want +got):\n%s", kinds[0].Kind, tt.name, tt.release, what, diff)
				}
			}
		}
	}
}

// An update of a policy's status does not change its labels:
// kubernetes/kubernetes:pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go.
func TestPolicyStatusAlone(t *testing.T) {
	policy := func(label string, generation int64) *admissionregistrationv1.ValidatingAdmissionPolicy {
		p := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		p.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy"))
		p.Name, p.Labels, p.Status.ObservedGeneration = "p", map[string]string{"a": label}, generation
		return p
	}
	got := kinds.New(nil, objects.Options{}).PrepareForUpdate(policy("new", 2), policy("old", 1), objects.Write{Subresource: "status"})
	if diff := cmp.Diff(runtime.Object(policy("old", 2)), got); diff != "" {
		t.Errorf("PrepareForUpdate() (-want +got):\n%s", diff)
	}
}
