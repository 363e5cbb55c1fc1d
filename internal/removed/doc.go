// Package removed declares the API types that earlier releases of Kubernetes served and that
// k8s.io/api no longer has: those that a built-in admission plugin reads (PodSecurityPolicy,
// PodPreset, InitializerConfiguration), and old versions of kinds that still exist. It
// also declares APIService, which is not in k8s.io/api but in kube-aggregator, a server.
//
// It holds declarations only. What the types mean to a request is known to package plugins,
// which releases serve them to package kubeversion. The field names and their order are those
// of the releases, so that manifests of that time can be read as they are.
//
// +k8s:deepcopy-gen=package
package removed

//go:generate go run k8s.io/code-generator/cmd/deepcopy-gen@v0.37.2 --output-file zz_generated.deepcopy.go --go-header-file /dev/null .
