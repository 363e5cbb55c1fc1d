package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/wire"
)

// A withClusterName is an encoder of a release whose metadata has clusterName.
type withClusterName struct{}

func (withClusterName) Encode(object runtime.Object) ([]byte, error) { return json.Marshal(object) }

func (withClusterName) Lost(schema.GroupVersionKind) func(string, string) bool {
	return func(_, name string) bool { return name == "clusterName" }
}

// BenchmarkLostFields writes a list whose items all have a lost field, which is empty.
func BenchmarkLostFields(b *testing.B) {
	const pods = 400
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	for i := range pods {
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%d", i), Namespace: "default", Labels: map[string]string{"app": "shop"}}}
		for _, name := range []string{"app", "proxy"} {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
				Name: name, Image: "shop/" + name + ":1", Env: []corev1.EnvVar{{Name: "MODE", Value: "live"}}, VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
			})
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, Ready: true})
		}
		pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		list.Items = append(list.Items, pod)
	}
	b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
		for b.Loop() {
			if _, err := (wire.Media{Format: wire.Protobuf}).Encode(withClusterName{}, list); err != nil {
				b.Fatal(err)
			}
		}
	})
}
