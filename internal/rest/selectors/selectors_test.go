package selectors_test

import (
	"net/url"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var (
	pods  = discovery.Resource{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Namespaced: true}
	nodes = discovery.Resource{Kind: corev1.SchemeGroupVersion.WithKind("Node")}
	jobs  = discovery.Resource{Kind: batchv1.SchemeGroupVersion.WithKind("Job"), Namespaced: true}
	leafs = discovery.Resource{
		GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "leafs"},
		Kind:                 schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Leaf"},
		CRD: &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
			{Name: "v1", SelectableFields: []apiextensionsv1.SelectableField{{JSONPath: ".spec.colour"}}},
			{Name: "v2", SelectableFields: []apiextensionsv1.SelectableField{{JSONPath: ".spec.size"}}},
		}}},
	}
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		labels, fields, release string
		of                      discovery.Resource
		want                    string // the error
	}{
		{labels: "a in (b,c),!d", of: pods},
		{labels: "a in (b", of: pods, want: "unable to parse requirement: found '', expected: ',' or ')'"},
		{fields: "metadata.name=a,metadata.namespace!=b", of: pods},
		{fields: "nonsense", of: pods, want: "invalid selector: 'nonsense'; can't understand 'nonsense'"},
		{fields: "spec.image=x", of: pods, want: "field label not supported: spec.image"},
		{fields: "metadata.namespace=x", of: nodes, want: "field label not supported: metadata.namespace"},
		{fields: "spec.hostNetwork=true", release: "1.27", of: pods, want: "field label not supported: spec.hostNetwork"},
		{fields: "spec.hostNetwork=true", of: pods},
		{fields: "spec.parallelism=1", of: jobs, want: `field label "spec.parallelism" not supported for Job`},
		{fields: "spec.colour=red", of: leafs},
		{fields: "spec.size=1", of: leafs, want: "field label not supported: spec.size"}, // the field is in another version
		{fields: "spec.x=1", of: discovery.Resource{Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap")},
			want: `"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"`},
	} {
		release := kubeversion.Default()
		if tt.release != "" {
			var err error
			if release, err = kubeversion.Parse(tt.release); err != nil {
				t.Fatal(err)
			}
		}
		_, err := selectors.Parse(url.Values{"labelSelector": {tt.labels}, "fieldSelector": {tt.fields}}, tt.of, "", release)
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("labels %q, fields %q: %v, want %q", tt.labels, tt.fields, err, tt.want)
		}
	}
}

func TestMatches(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "shop", Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: "n1"},
	}
	leaf := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "l"}, "spec": map[string]any{"colour": "red"}}}
	for _, tt := range []struct {
		labels, fields string
		of             discovery.Resource
		object         runtime.Object
		want           bool
	}{
		{of: pods, object: pod, want: true},
		{labels: "app=web", of: pods, object: pod, want: true},
		{labels: "app!=web", of: pods, object: pod},
		{fields: "metadata.name=p,metadata.namespace=shop", of: pods, object: pod, want: true},
		{fields: "spec.nodeName=n1", of: pods, object: pod, want: true},
		{fields: "spec.host=n1", of: pods, object: pod, want: true}, // the old name
		{fields: "spec.nodeName!=n1", of: pods, object: pod},
		{fields: "spec.hostNetwork=false", of: pods, object: pod, want: true}, // not set
		{fields: "spec.unschedulable=true", of: nodes, object: &corev1.Node{}},
		{fields: "status.successful=0", of: jobs, object: &batchv1.Job{}, want: true},
		{fields: "spec.colour=red", of: leafs, object: leaf, want: true},
		{fields: "spec.colour=blue", of: leafs, object: leaf},
	} {
		s, err := selectors.Parse(url.Values{"labelSelector": {tt.labels}, "fieldSelector": {tt.fields}}, tt.of, "", kubeversion.Default())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Matches(tt.object); got != tt.want || err != nil {
			t.Errorf("labels %q, fields %q: %v, %v, want %v", tt.labels, tt.fields, got, err, tt.want)
		}
		if empty := tt.labels == "" && tt.fields == ""; s.Empty() != empty {
			t.Errorf("labels %q, fields %q: Empty() = %v", tt.labels, tt.fields, s.Empty())
		}
	}
}
