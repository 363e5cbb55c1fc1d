package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The fields of an object that a release sets or keeps: first those after it was read, then those that it stores.
func TestLaterFields(t *testing.T) {
	for _, test := range []struct {
		reason, body, path string
		release            string
		defaulted, stored  bool
	}{
		{"not known", daemonSetBody, "spec.updateStrategy.rollingUpdate.maxSurge", "1.20", false, false},
		{"known, off", daemonSetBody, "spec.updateStrategy.rollingUpdate.maxSurge", "1.21", false, false},
		{"on", daemonSetBody, "spec.updateStrategy.rollingUpdate.maxSurge", "1.22", true, true},
		{"not known", jobBody, "spec.completionMode", "1.20", false, false},
		{"on", jobBody, "spec.completionMode", "1.22", true, true},
		{"not known", jobBody, "spec.podReplacementPolicy", "1.27", false, false},
		{"on", jobBody, "spec.podReplacementPolicy", "1.29", true, true},
		{"before dual stack", serviceBody, "spec.ipFamilies", "1.19", false, false},
		{"dual stack", serviceBody, "spec.ipFamilies", "1.21", false, true},
		{"not known", serviceBody, "spec.internalTrafficPolicy", "1.20", false, false},
		{"on", serviceBody, "spec.internalTrafficPolicy", "1.22", true, true},
		{"retention is off", statefulSetBody, "spec.persistentVolumeClaimRetentionPolicy", "1.26", false, false},
		{"retention is on", statefulSetBody, "spec.persistentVolumeClaimRetentionPolicy", "1.27", true, true},
		{"asked for, not known", podBody, "spec.os", "1.22", false, false},
		{"asked for, off", podBody, "spec.os", "1.23", true, false},
		{"asked for, on", podBody, "spec.os", "1.24", true, true},
		{"off everywhere unless its gate is set", leaseBody, "spec.strategy", "1.36", true, false},
		{"in lists", podBody, "spec.containers[].startupProbe", "1.15", false, false},
		{"in lists", podBody, "spec.containers[].startupProbe", "1.17", true, false},
		{"in lists", podBody, "spec.containers[].startupProbe", "1.18", true, true},
		{"in templates", deploymentBody, "spec.template.spec.topologySpreadConstraints", "1.15", false, false},
		{"in templates", deploymentBody, "spec.template.spec.topologySpreadConstraints", "1.18", true, true},
		{"namespaces have no label with their name", namespaceBody, "metadata.labels[kubernetes.io/metadata.name]", "1.20", false, false},
		{"namespaces have the label", namespaceBody, "metadata.labels[kubernetes.io/metadata.name]", "1.21", true, true},
		{"read, but not kept", claimingPodBody, "spec.resourceClaims", "1.33", true, false},
		{"kept", claimingPodBody, "spec.resourceClaims", "1.34", true, true},
		{"formerly in another field", claimingPodBody, "spec.resourceClaims[].resourceClaimName", "1.30", false, false},
		{"of containers", claimingPodBody, "spec.containers[].resources.claims", "1.33", true, false},
		{"not known", nodeBody, "status.runtimeHandlers", "1.29", false, false},
		{"on", nodeBody, "status.runtimeHandlers", "1.31", true, true},
		{"not known", nodeBody, "status.nodeInfo.swap", "1.32", false, false},
		{"known", nodeBody, "status.nodeInfo.swap", "1.33", true, true},
		{"the default of a field that is off", imagePodBody, "spec.volumes[].image.pullPolicy", "1.34", false, false},
		{"on", imagePodBody, "spec.volumes[].image.pullPolicy", "1.35", true, true},
		{"off", crdBody, "spec.versions[].selectableFields", "1.30", true, false},
		{"on", crdBody, "spec.versions[].selectableFields", "1.31", true, true},
		{"off", reviewBody, "spec.resourceAttributes.labelSelector", "1.31", true, false},
		{"on", reviewBody, "spec.resourceAttributes.labelSelector", "1.32", true, true},
		{"off", betaClaimBody, "spec.devices.requests[].exactly.adminAccess", "1.33", true, false},
		{"on", claimBody, "spec.devices.requests[].exactly.adminAccess", "1.34", true, true},
		{"not known", betaClaimBody, "spec.devices.requests[].exactly.capacity", "1.33", false, false},
		{"off", claimBody, "spec.devices.requests[].exactly.capacity", "1.35", true, false},
		{"on", claimBody, "spec.devices.requests[].exactly.capacity", "1.36", true, true},
		{"namespaces may have the label", labelledNamespaceBody, "metadata.labels[kubernetes.io/metadata.name]", "1.20", true, true},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		var head struct{ APIVersion, Kind string }
		if err := json.Unmarshal([]byte(test.body), &head); err != nil {
			t.Fatal(err)
		}
		gvk := schema.FromAPIVersionAndKind(head.APIVersion, head.Kind)
		obj, _, err := types.Decode([]byte(test.body), gvk, objects.Strict)
		if err != nil {
			obj, _, err = types.Decode([]byte(test.body), gvk, objects.Ignore)
		}
		if err != nil {
			t.Fatal(err)
		}
		stored := types.PrepareForCreate(allocated(t, types, obj, nil, objects.Write{}), objects.Write{})
		if diff := cmp.Diff([]bool{test.defaulted, test.stored}, []bool{types.HasField(obj, test.path), types.HasField(stored, test.path)}); diff != "" {
			t.Errorf("%s: %s of %s in %s (-want defaulted, stored +got):\n%s", test.reason, test.path, head.Kind, test.release, diff)
		}
	}
}

const (
	leaseBody             = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l","namespace":"shop"},"spec":{"strategy":"OldestEmulationVersion"}}`
	classBody             = `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"c"},"provisioner":"p","allowVolumeExpansion":true}`
	daemonSetBody         = `{"apiVersion":"apps/v1","kind":"DaemonSet","spec":{"template":{}}}`
	statefulSetBody       = `{"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"template":{}}}`
	jobBody               = `{"apiVersion":"batch/v1","kind":"Job","spec":{"template":{}}}`
	serviceBody           = `{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80}],"selector":{"a":"b"}}}`
	podBody               = `{"apiVersion":"v1","kind":"Pod","spec":{"os":{"name":"linux"},"containers":[{"name":"c","startupProbe":{"httpGet":{"port":80}}}]}}`
	deploymentBody        = `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z"}]}}}}`
	namespaceBody         = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`
	claimingPodBody       = `{"apiVersion":"v1","kind":"Pod","spec":{"resourceClaims":[{"name":"r","resourceClaimName":"c"}],"containers":[{"name":"c","resources":{"claims":[{"name":"r"}]}}]}}`
	imagePodBody          = `{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[{"name":"v","image":{"reference":"i"}}],"containers":[{"name":"c"}]}}`
	nodeBody              = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"nodeInfo":{"swap":{"capacity":5}},"runtimeHandlers":[{"name":"r"}]}}`
	crdBody               = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a.b"},"spec":{"versions":[{"name":"v1","selectableFields":[{"jsonPath":".spec.a"}]}]}}`
	claimBody             = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","adminAccess":true,"capacity":{"requests":{"memory":"1Gi"}}}}]}}}`
	betaClaimBody         = `{"apiVersion":"resource.k8s.io/v1beta2","kind":"ResourceClaim","spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","adminAccess":true,"capacity":{"requests":{"memory":"1Gi"}}}}]}}}`
	reviewBody            = `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"u","resourceAttributes":{"labelSelector":{"rawSelector":"a"}}}}`
	labelledNamespaceBody = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":{"kubernetes.io/metadata.name":"shop"}}}`
)

// The gate of a field takes precedence over its release, in the releases that know the field (VA-01 for one).
func TestLaterFieldGates(t *testing.T) {
	for _, test := range []struct {
		reason, body, path, release string
		gates                       map[string]bool
		stored                      bool
	}{
		{"an alpha", podBody, "spec.os", "1.23", nil, false},
		{"an alpha field that is enabled", podBody, "spec.os", "1.23", map[string]bool{"IdentifyPodOS": true}, true},
		{"a beta field that is disabled", podBody, "spec.os", "1.24", map[string]bool{"IdentifyPodOS": false}, false},
		{"the default of an alpha", jobBody, "spec.completionMode", "1.21", map[string]bool{"IndexedJob": true}, true},
		{"formerly an error", classBody, "allowVolumeExpansion", "1.13", map[string]bool{"ExpandPersistentVolumes": false}, true},
		{"then removed", classBody, "allowVolumeExpansion", "1.14", map[string]bool{"ExpandPersistentVolumes": false}, false},
		{"the default of a beta field that is disabled", jobBody, "spec.completionMode", "1.22", map[string]bool{"IndexedJob": false}, false},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		if release, err = release.With(kubeversion.Flags{FeatureGates: test.gates}); err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		var head struct{ APIVersion, Kind string }
		if err := json.Unmarshal([]byte(test.body), &head); err != nil {
			t.Fatal(err)
		}
		obj, _, err := types.Decode([]byte(test.body), schema.FromAPIVersionAndKind(head.APIVersion, head.Kind), objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		if stored := types.HasField(types.PrepareForCreate(obj, objects.Write{}), test.path); stored != test.stored {
			t.Errorf("%s: %s with %v in %s is stored: %v, want %v", test.reason, test.path, test.gates, test.release, stored, test.stored)
		}
	}
}

// A field that the release does not know is an unknown field in strict decoding, and ignored otherwise (CV-12).
func TestLaterFieldsAreUnknown(t *testing.T) {
	release, err := kubeversion.Parse("1.26")
	if err != nil {
		t.Fatal(err)
	}
	types := kinds.New(nil, objects.Options{Release: release})
	body := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","restartPolicy":7}]}}`
	_, warnings, err := types.Decode([]byte(body), schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, objects.Warn)
	if diff := cmp.Diff([]string{`unknown field "spec.containers[0].restartPolicy"`}, warnings); err != nil || diff != "" {
		t.Errorf("%v (-want warnings +got):\n%s", err, diff)
	}
}

// A field that the release does not know is not kept if something else has set it, or if the object is from a later
// release.
func TestLaterFieldsAreNotKept(t *testing.T) {
	release, err := kubeversion.Parse("1.22")
	if err != nil {
		t.Fatal(err)
	}
	pod, _, err := kinds.New(nil, objects.Options{}).Decode([]byte(podBody), schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, objects.Ignore)
	if err != nil {
		t.Fatal(err)
	}
	old := pod.DeepCopyObject()
	types := kinds.New(nil, objects.Options{Release: release})
	if types.HasField(types.PrepareForUpdate(pod, old, objects.Write{}), "spec.os") {
		t.Error("a server of 1.22 stores spec.os of a pod")
	}
}

// An update may set a field of one container that is off, if another container of the old object has it.
func TestLaterFieldsOfOtherContainers(t *testing.T) {
	pod := func(lists string) runtime.Object {
		obj, _, err := kinds.New(nil, objects.Options{}).Decode([]byte(`{"apiVersion":"v1","kind":"Pod","spec":{`+lists+`}}`), schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	const (
		path  = "spec.containers[].volumeMounts[].bindMountOptions"
		mount = `[{"name":"c","volumeMounts":[{"name":"v","mountPath":"/v","bindMountOptions":["noexec"]}]}]`
	)
	types := kinds.New(nil, objects.Options{})
	for old, kept := range map[string]bool{
		`"containers":[{"name":"c"}]`:                                 false,
		`"containers":` + mount:                                       true,
		`"containers":[{"name":"c"}],"initContainers":` + mount:       true,
		`"containers":[{"name":"c"}],"initContainers":[{"name":"c"}]`: false,
	} {
		if got := types.HasField(types.PrepareForUpdate(pod(`"containers":`+mount), pod(old), objects.Write{}), path); got != kept {
			t.Errorf("with an old pod of %s, bindMountOptions are kept: %v, want %v", old, got, kept)
		}
	}
}
