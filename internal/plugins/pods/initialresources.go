package pods

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// InitialResources sets the requests of containers to what other containers of the same image used before (IR-01 to
// IR-05). It existed up to 1.10.
type InitialResources struct{ history usageHistory }

const initialResourcesAnnotation = "kubernetes.io/initial-resources"

// enoughSamples is the number of samples from which on the search is not widened.
const enoughSamples = 30

func (p InitialResources) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	pod = pod.DeepCopy()
	changes := append(p.fill(pod.Spec.InitContainers, pod.Namespace, "init container"),
		p.fill(pod.Spec.Containers, pod.Namespace, "container")...)
	if len(changes) == 0 {
		return plugin.Allow(step, "every container says what it needs, or its image is not known"), nil
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	text := "Initial Resources plugin set: " + strings.Join(changes, "; ") // IR-03
	pod.Annotations[initialResourcesAnnotation] = text
	return plugin.Change(step, pod, text), nil
}

// fill sets the requests of containers that have neither a request nor a limit (IR-01), and returns what it set.
func (p InitialResources) fill(containers []corev1.Container, namespace, what string) []string {
	var changes []string
	for i := range containers {
		c := &containers[i]
		var set []string
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			_, requested := c.Resources.Requests[name]
			_, limited := c.Resources.Limits[name]
			if requested || limited {
				continue
			}
			if estimate, ok := p.estimate(name, c.Image, namespace); ok {
				if c.Resources.Requests == nil {
					c.Resources.Requests = corev1.ResourceList{}
				}
				c.Resources.Requests[name] = estimate
				set = append(set, string(name))
			}
		}
		if len(set) > 0 {
			changes = append(changes, strings.Join(set, ", ")+" request for "+what+" "+c.Name)
		}
	}
	return changes
}

// estimate widens the search for usage step by step until there are enough samples (IR-02).
func (p InitialResources) estimate(name corev1.ResourceName, image, namespace string) (q resource.Quantity, ok bool) {
	const week, month = 7 * 24 * time.Hour, 30 * 24 * time.Hour
	untagged, _, _ := strings.Cut(image, ":")
	circles := []circle{{image: image, namespace: namespace, since: week}, {image: image, namespace: namespace, since: month}}
	if p.history.NamespaceOnly {
		circles = append(circles, circle{image: untagged, anyTag: true, namespace: namespace, since: month})
	} else {
		circles = append(circles, circle{image: image, since: week}, circle{image: image, since: month},
			circle{image: untagged, anyTag: true, since: month})
	}
	for _, c := range circles {
		var samples int
		if q, samples = p.history.usage(name, c); samples >= enoughSamples {
			return q, true
		}
		ok = samples > 0
	}
	return q, ok
}
