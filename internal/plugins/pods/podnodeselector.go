package pods

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// PodNodeSelector adds the node selector of the namespace to pods, and limits the pods to the nodes that the
// configuration allows for the namespace (PNS-01 to PNS-06).
type PodNodeSelector struct {
	selectors map[string]string // by namespace; also holds the default for all other namespaces
}

const (
	nodeSelectorAnnotation = "scheduler.alpha.kubernetes.io/node-selector"
	usualNodeSelector      = "clusterDefaultNodeSelector"
)

func NewPodNodeSelector(configuration []byte) (PodNodeSelector, error) {
	var c struct {
		Selectors map[string]string `json:"podNodeSelectorPluginConfig"`
	}
	if configuration != nil {
		if err := json.Unmarshal(configuration, &c); err != nil {
			return PodNodeSelector{}, err
		}
	}
	return PodNodeSelector{c.Selectors}, nil
}

func (p PodNodeSelector) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	if plugin.Concerns(req, "", "pods") && !isIncomplete(req) {
		return plugin.Skip(plugin.Begin(req), "not a new pod"), nil
	}
	step, pod, selector, err := p.begin(s, req)
	if pod == nil {
		return step, err
	}
	merged := labels.Merge(selector, pod.Spec.NodeSelector)
	if step = p.check(step, req, pod, selector, merged); step.Outcome.Ends() {
		return step, nil
	}
	if semantic.DeepEqual(merged, labels.Set(pod.Spec.NodeSelector)) {
		return plugin.Allow(step, "the pod has the node selector of its namespace"), nil
	}
	pod = pod.DeepCopy()
	pod.Spec.NodeSelector = merged
	return plugin.Change(step, pod, fmt.Sprintf("the namespace's node selector is %s", selector)), nil
}

func (p PodNodeSelector) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step, pod, selector, err := p.begin(s, req)
	if pod == nil {
		return step, err
	}
	return p.check(step, req, pod, selector, pod.Spec.NodeSelector), nil
}

// begin returns the pod of a request and the selector of its namespace. The pod is nil if the step is final.
func (p PodNodeSelector) begin(s *cluster.State, req admission.Request) (trace.Step, *corev1.Pod, labels.Set, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil, nil, nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, nil, nil, err
	}
	step, selector := p.ofNamespace(step, s, req)
	if step.Outcome.Ends() {
		return step, nil, nil, nil
	}
	return step, pod, selector, nil
}

// ofNamespace returns the selector of the request's namespace (PNS-01). The step is final if none can be found.
func (p PodNodeSelector) ofNamespace(step trace.Step, s *cluster.State, req admission.Request) (trace.Step, labels.Set) {
	found, _ := s.Live().Find(cluster.Key{GroupKind: plugin.NamespaceKind, Name: req.Namespace})
	namespace, ok := found.Object.(*corev1.Namespace)
	if !ok {
		err := apierrors.NewInternalError(fmt.Errorf("namespace %s does not exist", req.Namespace))
		return plugin.Deny(plugin.LackingNamespace(step, req), "the namespace does not exist", admission.StatusOf(err)), nil
	}
	text := p.selectors[usualNodeSelector]
	if own, ok := namespace.Annotations[nodeSelectorAnnotation]; ok {
		text = own
		step = plugin.DecidedBy(step, found)
	}
	selector, err := labels.ConvertSelectorToLabelsMap(text)
	if err != nil {
		return plugin.Deny(step, fmt.Sprintf("%q is no list of labels", text), admission.StatusOf(err)), nil
	}
	return step, selector
}

// check compares the selector of the pod with that of its namespace (PNS-02) and with what the configuration allows for
// the namespace (PNS-04).
func (p PodNodeSelector) check(step trace.Step, req admission.Request, pod *corev1.Pod, selector, final labels.Set) trace.Step {
	if labels.Conflicts(selector, pod.Spec.NodeSelector) {
		const text = "pod node label selector conflicts with its namespace node label selector"
		if step.Source == "" {
			step.Hint = fmt.Sprintf("the selector is %s of the plugin's configuration: %s", usualNodeSelector, selector)
		}
		return plugin.Deny(step, text, plugin.OwnForbidden(req, pod, text))
	}
	granted, err := labels.ConvertSelectorToLabelsMap(p.selectors[req.Namespace])
	if err != nil {
		step.Source, step.Hint = "", fmt.Sprintf("that is the entry %q of the plugin's configuration", req.Namespace)
		return plugin.Deny(step, fmt.Sprintf("%q is no list of labels", p.selectors[req.Namespace]), admission.StatusOf(err))
	}
	if len(granted) > 0 && !within(final, granted) {
		const text = "pod node label selector labels conflict with its namespace whitelist"
		step.Source = ""
		step.Hint = fmt.Sprintf("the plugin's configuration grants namespace %q the nodes with %s", req.Namespace, granted)
		return plugin.Deny(step, text, plugin.OwnForbidden(req, pod, text))
	}
	return plugin.Allow(step, "the node selector is one that the namespace may have")
}

// within reports whether list has all pairs of set.
func within(set, list labels.Set) bool {
	for key, value := range set {
		if listed, ok := list[key]; !ok || listed != value {
			return false
		}
	}
	return true
}
