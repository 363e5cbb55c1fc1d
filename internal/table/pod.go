package table

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A podStatus summarizes the containers of a pod.
type podStatus struct {
	reason   string
	ready    int
	restarts int
	last     metav1.Time // time of the last restart
}

func (s *podStatus) restarted(c corev1.ContainerStatus) {
	s.restarts += int(c.RestartCount)
	if t := c.LastTerminationState.Terminated; t != nil && s.last.Before(&t.FinishedAt) {
		s.last = t.FinishedAt
	}
}

func pod(o *corev1.Pod, now moment) []any {
	has := now.release.Has
	total := len(o.Spec.Containers)
	sidecars := map[string]bool{}
	for _, c := range o.Spec.InitContainers {
		if has(kubeversion.TableSidecars) && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars[c.Name] = true
			total++
		}
	}
	s := summarize(o, sidecars, now.release)
	switch {
	case o.DeletionTimestamp != nil && o.Status.Reason == "NodeLost":
		s.reason = "Unknown"
	case o.DeletionTimestamp != nil && (!hasEnded(o) || !has(kubeversion.TableFinishedPods)):
		s.reason = "Terminating"
	}
	var restarts any = int64(s.restarts)
	if has(kubeversion.TableRestartTimes) {
		restarts = fmt.Sprint(s.restarts)
		if !s.last.IsZero() && (s.restarts != 0 || !has(kubeversion.TableSidecars)) {
			restarts = fmt.Sprintf("%d (%s ago)", s.restarts, age(s.last, now))
		}
	}
	ip := o.Status.PodIP
	if len(o.Status.PodIPs) > 0 {
		ip = o.Status.PodIPs[0].IP
	}
	cells := []any{
		o.Name, fmt.Sprintf("%d/%d", s.ready, total), s.reason, restarts, age(o.CreationTimestamp, now),
		orNone(ip), orNone(o.Spec.NodeName), orNone(o.Status.NominatedNodeName), gates(o),
	}
	if o.Status.NominatedNodeName != "" && !has(kubeversion.TableNominatedNodes) {
		cells = append(cells, o.Status.NominatedNodeName)
	}
	return cells
}

// completed returns the condition of the row of a pod that has ended, for clients that hide it.
func completed(o runtime.Object) []metav1.TableRowCondition {
	pod, ok := o.(*corev1.Pod)
	if !ok || !hasEnded(pod) {
		return nil
	}
	message := "The pod has completed successfully."
	if pod.Status.Phase == corev1.PodFailed {
		message = "The pod failed."
	}
	return []metav1.TableRowCondition{{Type: metav1.RowCompleted, Status: metav1.ConditionTrue, Reason: string(pod.Status.Phase), Message: message}}
}

func hasEnded(o *corev1.Pod) bool {
	return o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed
}

func gates(o *corev1.Pod) string {
	if len(o.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	open := 0
	for _, g := range o.Spec.ReadinessGates {
		if isTrue(o, g.ConditionType) {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(o.Spec.ReadinessGates))
}

func isTrue(o *corev1.Pod, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(o.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind && c.Status == corev1.ConditionTrue })
}

// summarize returns the status of a pod, with a reason in one word.
func summarize(o *corev1.Pod, sidecars map[string]bool, release *kubeversion.Release) podStatus {
	s := podStatus{reason: string(o.Status.Phase)}
	if o.Status.Reason != "" {
		s.reason = o.Status.Reason
	}
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated && release.Has(kubeversion.TableSchedulingGates) {
			s.reason = corev1.PodReasonSchedulingGated
		}
	}
	initializing, sidecarStatus := s.initialize(o, sidecars)
	if initializing && !(isTrue(o, corev1.PodInitialized) && release.Has(kubeversion.TableSidecars)) {
		return s
	}
	s.restarts = sidecarStatus.restarts
	if release.Has(kubeversion.TableSidecars) {
		s.last = sidecarStatus.last
	}
	s.run(o, release)
	return s
}

// initialize looks at the init containers; sidecarStatus only covers those that keep running.
func (s *podStatus) initialize(o *corev1.Pod, sidecars map[string]bool) (initializing bool, sidecarStatus podStatus) {
	for i, c := range o.Status.InitContainerStatuses {
		s.restarted(c)
		if sidecars[c.Name] {
			sidecarStatus.restarted(c)
		}
		t, w := c.State.Terminated, c.State.Waiting
		switch {
		case t != nil && t.ExitCode == 0:
			continue
		case sidecars[c.Name] && c.Started != nil && *c.Started:
			if c.Ready {
				s.ready++
			}
			continue
		case t != nil:
			s.reason = "Init:" + ended(t)
		case w != nil && w.Reason != "" && w.Reason != "PodInitializing":
			s.reason = "Init:" + w.Reason
		default:
			s.reason = fmt.Sprintf("Init:%d/%d", i, len(o.Spec.InitContainers))
		}
		return true, sidecarStatus
	}
	return false, sidecarStatus
}

func ended(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}

// run looks at the containers, the last one first.
func (s *podStatus) run(o *corev1.Pod, release *kubeversion.Release) {
	running, failed := false, ""
	for _, c := range slices.Backward(o.Status.ContainerStatuses) {
		s.restarted(c)
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.reason = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			s.reason = ended(c.State.Terminated)
			if c.State.Terminated.ExitCode != 0 {
				failed = s.reason
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.reason != "Completed" {
		return
	}
	switch {
	case !release.Has(kubeversion.TableCompletedRunning):
	case running && (isTrue(o, corev1.PodReady) || !release.Has(kubeversion.TableCompletedNotReady)):
		s.reason = "Running"
	case failed != "" && release.Has(kubeversion.TableFailedContainers):
		s.reason = failed
	case running:
		s.reason = "NotReady"
	}
}

func quota(o *corev1.ResourceQuota, now moment) []any {
	names := make([]string, 0, len(o.Status.Hard))
	for name := range o.Status.Hard {
		names = append(names, string(name))
	}
	sort.Strings(names)
	var requests, limits []string
	for _, name := range names {
		used, hard := o.Status.Used[corev1.ResourceName(name)], o.Status.Hard[corev1.ResourceName(name)]
		text := fmt.Sprintf("%s: %s/%s", name, used.String(), hard.String())
		if strings.HasPrefix(name, "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{o.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), age(o.CreationTimestamp, now)}
}
