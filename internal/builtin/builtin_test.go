package builtin_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/admsim/admsim/internal/builtin"
)

// lifecycle returns what a type says about the releases that have it, by the names of its methods.
func lifecycle(t reflect.Type) map[string][]any {
	says := map[string][]any{}
	v := reflect.New(t)
	for i := range v.NumMethod() {
		if name := v.Type().Method(i).Name; strings.HasPrefix(name, "APILifecycle") {
			for _, result := range v.Method(i).Call(nil) {
				says[name] = append(says[name], result.Interface())
			}
		}
	}
	return says
}

// Every kind that client-go knows has the same type here, except for DeviceTaintRules, which had more fields in earlier
// releases. Some other kinds have a type as well.
func TestTypesOfClientGo(t *testing.T) {
	kinds := builtin.Kinds()
	for kind, want := range clientgoscheme.Scheme.AllKnownTypes() {
		if kind.Version == runtime.APIVersionInternal {
			continue
		}
		extended := kind.GroupVersion() == builtin.ResourceV1alpha3 && strings.HasPrefix(kind.Kind, "DeviceTaintRule")
		got := builtin.Type(kind)
		if got != want && !extended {
			t.Errorf("%v is a %v, want %v", kind, got, want)
			continue
		}
		if diff := cmp.Diff(lifecycle(want), lifecycle(got)); diff != "" {
			t.Errorf("%v has another lifecycle (-client-go +builtin):\n%s", kind, diff)
		}
		if !slices.Contains(kinds, kind) {
			t.Errorf("%v is not among all kinds", kind)
		}
	}
	for _, kind := range []schema.GroupVersionKind{
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
		{Group: "apiextensions.k8s.io", Version: "v1beta1", Kind: "CustomResourceDefinitionList"},
		{Group: "policy", Version: "v1beta1", Kind: "PodSecurityPolicy"},
		{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"},
		{Group: "autoscaling", Version: "v2beta1", Kind: "HorizontalPodAutoscaler"},
	} {
		object, ok := builtin.New(kind)
		if !ok || !builtin.Has(kind) {
			t.Errorf("%v has no Go type", kind)
			continue
		}
		if got := object.GetObjectKind().GroupVersionKind(); !got.Empty() {
			t.Errorf("a new %v says that it is a %v, want nothing", kind, got)
		}
	}
	for _, kind := range []schema.GroupVersionKind{
		{Group: "shop.example", Version: "v1", Kind: "Shop"}, {Group: "apps", Version: "v1", Kind: "Pod"}, {},
	} {
		if builtin.Has(kind) || builtin.Type(kind) != nil {
			t.Errorf("%v has a Go type", kind)
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, test := range []struct {
		object runtime.Object
		want   schema.GroupVersionKind
	}{
		{&appsv1.Deployment{}, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}},
		{&admissionregistrationv1.ValidatingWebhookConfiguration{TypeMeta: metav1.TypeMeta{Kind: "Pod"}}, admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration")},
	} {
		got, err := builtin.KindOf(test.object)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("kind of a %T (-want +got): %v\n%s", test.object, err, diff)
		}
	}
	if got, err := builtin.KindOf(&metav1.PartialObjectMetadata{}); err == nil {
		t.Errorf("an object of any kind is a %v", got)
	}
}

func TestLatestVersion(t *testing.T) {
	for kind, want := range map[schema.GroupKind]string{
		{Group: "apps", Kind: "Deployment"}:                               "v1",
		{Group: "extensions", Kind: "Deployment"}:                         "v1beta1",
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:           "v2",
		{Group: "autoscaling", Kind: "Scale"}:                             "v1",
		{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}:               "v1",
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: "v1",
		{Group: "shop.example", Kind: "Shop"}:                             "",
	} {
		if got := builtin.LatestVersion(kind); got != want {
			t.Errorf("the latest version of %v is %q, want %q", kind, got, want)
		}
	}
}

// Each field of a type that is declared here has a number in protocol buffers, which no other field of the type has.
func TestFieldNumbers(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || !builtin.Declares(of) || seen[of] {
			return
		}
		seen[of] = true
		used := map[string]string{}
		for f := range of.Fields() {
			tag := f.Tag.Get("protobuf")
			if f.Type == reflect.TypeFor[metav1.TypeMeta]() || tag == "-" {
				continue
			}
			parts := strings.Split(tag, ",")
			if len(parts) < 2 {
				t.Errorf("%v.%s has no number: run make field-numbers", of, f.Name)
				continue
			}
			if other := used[parts[1]]; other != "" {
				t.Errorf("%v.%s and %s have the number %s", of, f.Name, other, parts[1])
			}
			used[parts[1]] = f.Name
			check(f.Type)
		}
	}
	for _, kind := range builtin.Kinds() {
		check(builtin.Type(kind))
	}
}

// No type has the OpenAPI name of a struct that it embeds, whose methods it would have without one of its own.
func TestOpenAPINames(t *testing.T) {
	type named interface{ OpenAPIModelName() string }
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			check(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] {
			return
		}
		seen[of] = true
		own, _ := reflect.Zero(of).Interface().(named)
		for f := range of.Fields() {
			if part, ok := reflect.Zero(f.Type).Interface().(named); ok && f.Anonymous && own != nil && part.OpenAPIModelName() == own.OpenAPIModelName() {
				t.Errorf("%v has the name of %v: %s", of, f.Type, own.OpenAPIModelName())
			}
			check(f.Type)
		}
	}
	for _, kind := range builtin.Kinds() {
		check(builtin.Type(kind))
	}
}
