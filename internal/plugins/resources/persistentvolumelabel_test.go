package resources

import (
	"context"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The order of several requirements that the plugin adds is reported as not determined; that of one is determined.
func TestRequirementsInAnyOrder(t *testing.T) {
	release, err := kubeversion.Parse("1.22")
	if err != nil {
		t.Fatal(err)
	}
	for labels, want := range map[string][]string{
		`{"a":"1","b":"2"}`: {"the order of matchExpressions: PersistentVolumeLabel adds one for each label, in any order"},
		`{"a":"1"}`:         nil,
	} {
		plugin, err := NewPersistentVolumeLabel(release, []byte(
			`{"apiVersion":"admsim.dev/v1beta1","kind":"VolumeZones","volumes":[{"source":"gcePersistentDisk","id":"d","labels":`+labels+`}]}`))
		if err != nil {
			t.Fatal(err)
		}
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
		volume.Spec.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: "d"}
		course := &admission.Course{Context: context.Background()}
		_, err = plugin.Mutate(course, cluster.New(), admission.Request{
			Operation: admissionv1.Create, Resource: corev1.SchemeGroupVersion.WithResource("persistentvolumes"), Name: "v", Object: volume,
		}, nil)
		if loose := course.Loose(); err != nil || !slices.Equal(loose, want) {
			t.Errorf("with labels %s: not determined: %v, %v; want %v", labels, loose, err, want)
		}
	}
}
