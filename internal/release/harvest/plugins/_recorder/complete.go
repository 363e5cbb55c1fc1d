//go:build go1.21

package recorder

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/featuregate"
)

// completed returns a copy of a plugin that a test did not initialize as the server does: it has not seen the feature
// gates, so that all of them seem to be off, and lacks listers. The copy has the gates, and empty listers. Nil if the
// plugin is complete.
func completed(receiver interface{}) interface{} {
	gated, ok := receiver.(interface {
		InspectFeatureGates(featuregate.FeatureGate)
	})
	if !ok {
		return nil
	}
	inspected := true
	eachField(gated, func(name string, f reflect.Value) {
		if name == "inspectedFeatureGates" {
			inspected = f.Bool()
		}
	})
	if inspected {
		return nil
	}
	full, empty := copyOf(receiver), copyOf(receiver)
	eachField(empty, func(name string, f reflect.Value) {
		if _, ok := f.Interface().(*admission.Handler); ok {
			f.Set(reflect.ValueOf(&admission.Handler{})) // so that the plugin itself remains as ready as it is
		}
	})
	for _, p := range []interface{}{full, empty} {
		p.(interface {
			InspectFeatureGates(featuregate.FeatureGate)
		}).InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
	if wants, ok := empty.(interface {
		SetExternalKubeInformerFactory(informers.SharedInformerFactory)
	}); ok {
		wants.SetExternalKubeInformerFactory(informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0))
	}
	fields := map[string]reflect.Value{}
	eachField(empty, func(name string, f reflect.Value) { fields[name] = f })
	eachField(full, func(name string, f reflect.Value) {
		if f.Kind() == reflect.Interface && f.IsNil() {
			f.Set(fields[name])
		}
	})
	return full
}

func copyOf(receiver interface{}) interface{} {
	of := reflect.ValueOf(receiver).Elem()
	copied := reflect.New(of.Type())
	copied.Elem().Set(of)
	return copied.Interface()
}

// ask asks a plugin about copies of the objects.
func ask(plugin interface{}, method string, ctx context.Context, a admission.Attributes) {
	object := func(o runtime.Object) runtime.Object {
		if o == nil || isNil(o) {
			return nil
		}
		return o.DeepCopyObject()
	}
	same := admission.NewAttributesRecord(object(a.GetObject()), object(a.GetOldObject()), a.GetKind(), a.GetNamespace(), a.GetName(),
		a.GetResource(), a.GetSubresource(), a.GetOperation(), a.GetOperationOptions(), a.IsDryRun(), a.GetUserInfo())
	switch method {
	case "Admit":
		_ = plugin.(admission.MutationInterface).Admit(ctx, same, nil)
	case "Validate":
		_ = plugin.(admission.ValidationInterface).Validate(ctx, same, nil)
	}
}
