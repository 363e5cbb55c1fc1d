package kubeversion_test

import (
	"errors"
	"fmt"
	"log"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// The plugins of a server that was started with --disable-admission-plugins=NamespaceLifecycle, in the order in which
// they run.
func ExampleRelease_Chain() {
	release, err := kubeversion.Parse("v1.30.4")
	if err != nil {
		log.Fatal(err)
	}
	plugins, err := release.Chain(nil, []string{"NamespaceLifecycle"})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range plugins[:4] {
		fmt.Println(p.Name)
	}
	// Output:
	// LimitRanger
	// ServiceAccount
	// TaintNodesByCondition
	// PodSecurity
}

// With returns a server that was started with other flags.
func ExampleRelease_With() {
	policies := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1alpha1", Resource: "mutatingadmissionpolicies"}
	release, err := kubeversion.Parse("1.32")
	if err != nil {
		log.Fatal(err)
	}
	_, byDefault := release.Resource(policies)
	release, err = release.With(kubeversion.Flags{
		RuntimeConfig: map[string]bool{"admissionregistration.k8s.io/v1alpha1": true},
		FeatureGates:  map[string]bool{"MutatingAdmissionPolicy": true},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, withFlags := release.Resource(policies)
	fmt.Println(byDefault, withFlags)
	// Output:
	// false true
}

// The error of a release, plugin or feature gate that does not exist is an UnknownError.
func ExampleUnknownError() {
	_, err := kubeversion.Parse("1.5")
	var unknown *kubeversion.UnknownError
	fmt.Println(errors.As(err, &unknown))
	// Output:
	// true
}
