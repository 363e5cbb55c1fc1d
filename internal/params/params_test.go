package params_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// world has two ConfigMaps in namespace shop, one in bar, and a PriorityClass.
func world() params.World {
	configMap := func(namespace, name, role string) cluster.Object {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"role": role}}}
		o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		return cluster.Object{Object: o}
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}}
	class.SetGroupVersionKind(schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"))
	state := cluster.New(configMap("shop", "limit", "limit"), configMap("shop", "other", "other"), configMap("bar", "limit", "limit"), cluster.Object{Object: class})
	return params.World{State: state, Resources: discovery.New(kubeversion.Default(), state)}
}

var (
	configMaps = &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"}
	classes    = &admissionregistrationv1.ParamKind{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"}
	deny       = admissionregistrationv1.DenyAction
	allow      = admissionregistrationv1.AllowAction
)

func selecting(role string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"role": role}}
}

// Find looks where W-276 to W-278 say, and its errors are those of the server.
func TestFind(t *testing.T) {
	const none = "no params found for policy binding with `Deny` parameterNotFoundAction"
	for _, tt := range []struct {
		what      string
		kind      *admissionregistrationv1.ParamKind
		ref       *admissionregistrationv1.ParamRef
		namespace string
		want      []string
		err, hint string
		optional  bool
	}{
		{what: "a policy without params", ref: &admissionregistrationv1.ParamRef{Name: "limit"}, want: []string{""}},
		{what: "a binding without params", kind: configMaps, want: []string{""}},
		{what: "a name, in the namespace of the request", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Name: "limit"}, namespace: "bar", want: []string{"ConfigMap bar/limit"}},
		{what: "a name, in a namespace of its own", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Name: "limit", Namespace: "shop"}, namespace: "bar", want: []string{"ConfigMap shop/limit"}},
		{what: "the same for a request from no namespace", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Name: "limit", Namespace: "shop"}, want: []string{"ConfigMap shop/limit"}},
		{what: "a selector", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Selector: selecting("other")}, namespace: "shop", want: []string{"ConfigMap shop/other"}},
		{what: "an empty selector", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{}}, namespace: "shop", want: []string{"ConfigMap shop/limit", "ConfigMap shop/other"}},
		{what: "a kind without namespaces", kind: classes, ref: &admissionregistrationv1.ParamRef{Name: "high"}, namespace: "shop", want: []string{"PriorityClass high"}},
		{
			what: "a namespace for a kind without namespaces", kind: classes, ref: &admissionregistrationv1.ParamRef{Name: "high", Namespace: "shop"},
			err: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
		},
		{
			what: "a request from no namespace", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Name: "limit", ParameterNotFoundAction: &allow},
			err: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
		},
		{
			what: "a kind that does not exist, even if params are optional", kind: &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "ConfigMaps"},
			ref: &admissionregistrationv1.ParamRef{Name: "limit", ParameterNotFoundAction: &allow}, namespace: "shop",
			err: "failed to find resource referenced by paramKind: '/v1, Kind=ConfigMaps'", hint: `did you mean "ConfigMap"?`,
		},
		{
			what: "a selector that is not valid", kind: configMaps, namespace: "shop",
			ref: &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "role", Operator: "Is"}}}},
			err: `"Is" is not a valid label selector operator`,
		},
		{
			what: "required params that do not exist", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Name: "limits", ParameterNotFoundAction: &deny}, namespace: "shop",
			err: none, hint: `there is no ConfigMap "limits" in namespace "shop"; did you mean "limit"?`,
		},
		{
			what: "required params that nothing selects", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Selector: selecting("none"), ParameterNotFoundAction: &deny}, namespace: "shop",
			err: none, hint: `no ConfigMap in namespace "shop" has the labels role=none`,
		},
		{
			what: "optional params that do not exist", kind: configMaps, ref: &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{}, ParameterNotFoundAction: &allow}, namespace: "empty",
			err:  `the binding's params do not exist, which its parameterNotFoundAction allows: there is no ConfigMap in namespace "empty"`,
			hint: `there is no ConfigMap in namespace "empty"`, optional: true,
		},
	} {
		t.Run(tt.what, func(t *testing.T) {
			found, err := world().Find(params.KindOf(tt.kind), params.Compile(tt.ref), tt.namespace)
			var got []string
			for _, param := range found {
				got = append(got, params.Text(param))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			text, advice := "", ""
			if err != nil {
				text = err.Error()
			}
			if with, ok := err.(interface{ Hint() string }); ok {
				advice = with.Hint()
			}
			if text != tt.err || advice != tt.hint || params.AreOptional(err) != tt.optional {
				t.Errorf("err = %q, hint %q, optional %v;\nwant  %q, hint %q, optional %v", text, advice, params.AreOptional(err), tt.err, tt.hint, tt.optional)
			}
		})
	}
}

// Namespaces says from which namespaces requests find params of their own, and Lacking what no request finds.
func TestNamespaces(t *testing.T) {
	for _, tt := range []struct {
		what    string
		kind    *admissionregistrationv1.ParamKind
		ref     *admissionregistrationv1.ParamRef
		want    string // "same": params do not depend on the namespace
		lacking string
	}{
		{"the namespace of the request", configMaps, &admissionregistrationv1.ParamRef{Name: "limti"}, "bar shop", `there is no ConfigMap "limti"; did you mean "limit"?`},
		{"a selector", configMaps, &admissionregistrationv1.ParamRef{Selector: selecting("none")}, "bar shop", "no ConfigMap has the labels role=none"},
		{"one namespace", configMaps, &admissionregistrationv1.ParamRef{Name: "othr", Namespace: "shop"}, "same", `there is no ConfigMap "othr" in namespace "shop"; did you mean "other"?`},
		{"no namespace", classes, &admissionregistrationv1.ParamRef{Name: "hgih"}, "same", `there is no PriorityClass "hgih"; did you mean "high"?`},
		{
			"a kind that does not exist", &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "Limit"}, &admissionregistrationv1.ParamRef{Name: "limit"}, "same",
			"failed to find resource referenced by paramKind: '/v1, Kind=Limit'",
		},
	} {
		names, ok := world().Namespaces(params.KindOf(tt.kind), params.Compile(tt.ref))
		got := "same"
		if ok {
			got = strings.Join(names, " ")
		}
		if got != tt.want {
			t.Errorf("%s: namespaces %q, want %q", tt.what, got, tt.want)
		}
		if got := world().Lacking(params.KindOf(tt.kind), params.Compile(tt.ref)); got != tt.lacking {
			t.Errorf("%s: lacks %q, want %q", tt.what, got, tt.lacking)
		}
	}
	for what, kind := range map[string]*schema.GroupVersionKind{"no kind": nil, "no paramRef": params.KindOf(configMaps)} {
		if _, ok := world().Namespaces(kind, nil); ok {
			t.Errorf("%s: params depend on the namespace", what)
		}
	}
}
