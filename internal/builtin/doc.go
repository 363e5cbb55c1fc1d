// Package builtin knows the Go types of the kinds that are built into a server: those of k8s.io/api, those of
// CustomResourceDefinitions, and those declared here.
//
// Declared here are the types that earlier releases of Kubernetes served and that k8s.io/api no longer has: those that
// a built-in admission plugin reads (PodSecurityPolicy, PodPreset, InitializerConfiguration), and old versions of kinds
// that still exist. APIService is declared here as well: it is in kube-aggregator, a server, and not in k8s.io/api. The
// types have the fields of those releases in the same order, so that manifests of that time can be read unchanged. The
// package only contains declarations, which are listed in former.go: package kubeversion knows which releases serve a
// type. Their tags have the numbers of fields in protocol buffers (make field-numbers), which package wire reads and writes.
//
// Types are registered when a type of their group version is first asked for, since a run only needs a few of them. A
// scheme with all types, as client-go builds it in every program that imports it, takes longer than a request.
//
// +k8s:deepcopy-gen=package
package builtin

//go:generate go run k8s.io/code-generator/cmd/deepcopy-gen@v0.37.2 --output-file zz_generated.deepcopy.go --go-header-file /dev/null .
