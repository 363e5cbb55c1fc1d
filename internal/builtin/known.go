package builtin

import (
	"slices"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	authenticationv1 "k8s.io/api/authentication/v1"
	authenticationv1alpha1 "k8s.io/api/authentication/v1alpha1"
	authenticationv1beta1 "k8s.io/api/authentication/v1beta1"
	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationv1beta1 "k8s.io/api/authorization/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1alpha1 "k8s.io/api/certificates/v1alpha1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
	nodev1beta1 "k8s.io/api/node/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1alpha1 "k8s.io/api/rbac/v1alpha1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1alpha1 "k8s.io/api/storage/v1alpha1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/version"
)

// A groupVersion is a version of an API group, with its types, which are registered when they are first needed.
type groupVersion struct {
	schema.GroupVersion
	types func() *runtime.Scheme
}

// groupVersions returns all group versions. If several have the same Go type, the first one takes precedence.
var groupVersions = sync.OnceValue(func() []groupVersion {
	var all []groupVersion
	add := func(gv schema.GroupVersion, register func(*runtime.Scheme) error) {
		all = append(all, groupVersion{gv, sync.OnceValue(func() *runtime.Scheme {
			s := runtime.NewScheme()
			utilruntime.Must(register(s))
			addFormer(s, gv)
			return s
		})})
	}
	add(admissionregistrationv1.SchemeGroupVersion, admissionregistrationv1.AddToScheme)
	add(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1beta1.AddToScheme)
	add(admissionregistrationv1alpha1.SchemeGroupVersion, admissionregistrationv1alpha1.AddToScheme)
	add(apiserverinternalv1alpha1.SchemeGroupVersion, apiserverinternalv1alpha1.AddToScheme)
	add(appsv1.SchemeGroupVersion, appsv1.AddToScheme)
	add(appsv1beta2.SchemeGroupVersion, appsv1beta2.AddToScheme)
	add(appsv1beta1.SchemeGroupVersion, appsv1beta1.AddToScheme)
	add(authenticationv1.SchemeGroupVersion, authenticationv1.AddToScheme)
	add(authenticationv1beta1.SchemeGroupVersion, authenticationv1beta1.AddToScheme)
	add(authenticationv1alpha1.SchemeGroupVersion, authenticationv1alpha1.AddToScheme)
	add(authorizationv1.SchemeGroupVersion, authorizationv1.AddToScheme)
	add(authorizationv1beta1.SchemeGroupVersion, authorizationv1beta1.AddToScheme)
	add(autoscalingv1.SchemeGroupVersion, autoscalingv1.AddToScheme)
	add(autoscalingv2.SchemeGroupVersion, autoscalingv2.AddToScheme)
	add(batchv1.SchemeGroupVersion, batchv1.AddToScheme)
	add(batchv1beta1.SchemeGroupVersion, batchv1beta1.AddToScheme)
	add(certificatesv1.SchemeGroupVersion, certificatesv1.AddToScheme)
	add(certificatesv1beta1.SchemeGroupVersion, certificatesv1beta1.AddToScheme)
	add(certificatesv1alpha1.SchemeGroupVersion, certificatesv1alpha1.AddToScheme)
	add(coordinationv1.SchemeGroupVersion, coordinationv1.AddToScheme)
	add(coordinationv1beta1.SchemeGroupVersion, coordinationv1beta1.AddToScheme)
	add(coordinationv1alpha2.SchemeGroupVersion, coordinationv1alpha2.AddToScheme)
	add(corev1.SchemeGroupVersion, corev1.AddToScheme)
	add(discoveryv1.SchemeGroupVersion, discoveryv1.AddToScheme)
	add(discoveryv1beta1.SchemeGroupVersion, discoveryv1beta1.AddToScheme)
	add(eventsv1.SchemeGroupVersion, eventsv1.AddToScheme)
	add(eventsv1beta1.SchemeGroupVersion, eventsv1beta1.AddToScheme)
	add(extensionsv1beta1.SchemeGroupVersion, extensionsv1beta1.AddToScheme)
	add(flowcontrolv1.SchemeGroupVersion, flowcontrolv1.AddToScheme)
	add(flowcontrolv1beta3.SchemeGroupVersion, flowcontrolv1beta3.AddToScheme)
	add(flowcontrolv1beta2.SchemeGroupVersion, flowcontrolv1beta2.AddToScheme)
	add(flowcontrolv1beta1.SchemeGroupVersion, flowcontrolv1beta1.AddToScheme)
	add(lifecyclev1alpha1.SchemeGroupVersion, lifecyclev1alpha1.AddToScheme)
	add(networkingv1.SchemeGroupVersion, networkingv1.AddToScheme)
	add(networkingv1beta1.SchemeGroupVersion, networkingv1beta1.AddToScheme)
	add(nodev1.SchemeGroupVersion, nodev1.AddToScheme)
	add(nodev1beta1.SchemeGroupVersion, nodev1beta1.AddToScheme)
	add(nodev1alpha1.SchemeGroupVersion, nodev1alpha1.AddToScheme)
	add(policyv1.SchemeGroupVersion, policyv1.AddToScheme)
	add(policyv1beta1.SchemeGroupVersion, policyv1beta1.AddToScheme)
	add(rbacv1.SchemeGroupVersion, rbacv1.AddToScheme)
	add(rbacv1beta1.SchemeGroupVersion, rbacv1beta1.AddToScheme)
	add(rbacv1alpha1.SchemeGroupVersion, rbacv1alpha1.AddToScheme)
	add(resourcev1.SchemeGroupVersion, resourcev1.AddToScheme)
	add(resourcev1beta2.SchemeGroupVersion, resourcev1beta2.AddToScheme)
	add(resourcev1beta1.SchemeGroupVersion, resourcev1beta1.AddToScheme)
	// The other types of this version are declared in this package.
	add(resourcev1alpha3.SchemeGroupVersion, typesOnly(resourcev1alpha3.SchemeGroupVersion, &resourcev1alpha3.ResourcePoolStatusRequest{}, &resourcev1alpha3.ResourcePoolStatusRequestList{}))
	add(schedulingv1.SchemeGroupVersion, schedulingv1.AddToScheme)
	add(schedulingv1beta1.SchemeGroupVersion, schedulingv1beta1.AddToScheme)
	add(schedulingv1alpha3.SchemeGroupVersion, schedulingv1alpha3.AddToScheme)
	add(storagev1.SchemeGroupVersion, storagev1.AddToScheme)
	add(storagev1beta1.SchemeGroupVersion, storagev1beta1.AddToScheme)
	add(storagev1alpha1.SchemeGroupVersion, storagev1alpha1.AddToScheme)
	add(storagemigrationv1.SchemeGroupVersion, storagemigrationv1.AddToScheme)
	add(storagemigrationv1beta1.SchemeGroupVersion, storagemigrationv1beta1.AddToScheme)
	// These AddToScheme functions would also add defaults and conversions. Only the types are needed here.
	add(apiextensionsv1.SchemeGroupVersion, typesOnly(apiextensionsv1.SchemeGroupVersion, &apiextensionsv1.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinitionList{}))
	add(apiextensionsv1beta1.SchemeGroupVersion, typesOnly(apiextensionsv1beta1.SchemeGroupVersion, &apiextensionsv1beta1.CustomResourceDefinition{}, &apiextensionsv1beta1.CustomResourceDefinitionList{}))
	for _, f := range formerVersions() {
		if !slices.ContainsFunc(all, func(other groupVersion) bool { return other.GroupVersion == f.GroupVersion }) {
			add(f.GroupVersion, typesOnly(f.GroupVersion))
		}
	}
	return all
})

func typesOnly(gv schema.GroupVersion, objects ...runtime.Object) func(*runtime.Scheme) error {
	return func(s *runtime.Scheme) error {
		s.AddKnownTypes(gv, objects...)
		return nil
	}
}

var byGroupVersion = sync.OnceValue(func() map[schema.GroupVersion]groupVersion {
	found := map[schema.GroupVersion]groupVersion{}
	for _, gv := range groupVersions() {
		found[gv.GroupVersion] = gv
	}
	return found
})

// versions returns the versions of each group, latest first.
var versions = sync.OnceValue(func() map[string][]string {
	found := map[string][]string{}
	for _, gv := range groupVersions() {
		found[gv.Group] = append(found[gv.Group], gv.Version)
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	}
	return found
})
