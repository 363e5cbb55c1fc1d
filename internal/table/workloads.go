package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func workloadPrinters() map[schema.GroupKind]printer {
	apps := func(kind string) schema.GroupKind { return schema.GroupKind{Group: appsv1.GroupName, Kind: kind} }
	batch := func(kind string) schema.GroupKind { return schema.GroupKind{Group: batchv1.GroupName, Kind: kind} }
	return map[schema.GroupKind]printer{
		apps("Deployment"): newPrinter("Name, Ready, Desired, Current, Up-to-date, Available, Age, Containers, Images, Selector", func(o *appsv1.Deployment, now moment) []any {
			names, images := containers(o.Spec.Template.Spec.Containers)
			return []any{
				o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, replicas(o.Spec.Replicas)), replicas(o.Spec.Replicas), int64(o.Status.Replicas), int64(o.Status.UpdatedReplicas), int64(o.Status.AvailableReplicas),
				age(o.CreationTimestamp, now), names, images, deploymentSelector(o.Spec.Selector),
			}
		}),
		apps("ReplicaSet"): newPrinter("Name, Desired, Current, Ready, Age, Containers, Images, Selector", func(o *appsv1.ReplicaSet, now moment) []any {
			names, images := containers(o.Spec.Template.Spec.Containers)
			return []any{
				o.Name, replicas(o.Spec.Replicas), int64(o.Status.Replicas), int64(o.Status.ReadyReplicas), age(o.CreationTimestamp, now),
				names, images, metav1.FormatLabelSelector(o.Spec.Selector),
			}
		}),
		apps("StatefulSet"): newPrinter("Name, Ready, Desired, Current, Age, Containers, Images", func(o *appsv1.StatefulSet, now moment) []any {
			names, images := containers(o.Spec.Template.Spec.Containers)
			return []any{
				o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, replicas(o.Spec.Replicas)), replicas(o.Spec.Replicas), int64(o.Status.Replicas),
				age(o.CreationTimestamp, now), names, images,
			}
		}),
		apps("DaemonSet"): newPrinter("Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, Containers, Images, Selector", func(o *appsv1.DaemonSet, now moment) []any {
			names, images := containers(o.Spec.Template.Spec.Containers)
			s := o.Status
			return []any{
				o.Name, int64(s.DesiredNumberScheduled), int64(s.CurrentNumberScheduled), int64(s.NumberReady), int64(s.UpdatedNumberScheduled), int64(s.NumberAvailable),
				selector(o.Spec.Template.Spec.NodeSelector), age(o.CreationTimestamp, now), names, images, metav1.FormatLabelSelector(o.Spec.Selector),
			}
		}),
		apps("ControllerRevision"): newPrinter("Name, Controller, Revision, Age", func(o *appsv1.ControllerRevision, now moment) []any {
			by := "<none>"
			if ref := metav1.GetControllerOf(o); ref != nil {
				gv, _ := schema.ParseGroupVersion(ref.APIVersion)
				by = strings.ToLower(ref.Kind)
				if gv.Group != "" {
					by += "." + gv.Group
				}
				by += "/" + ref.Name
			}
			return []any{o.Name, by, o.Revision, age(o.CreationTimestamp, now)}
		}),
		batch("Job"): newPrinter("Name, Status, Completions, Desired, Successful, Duration, Age, Containers, Images, Selector", job),
		batch("CronJob"): newPrinter("Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, Containers, Images, Selector", func(o *batchv1.CronJob, now moment) []any {
			names, images := containers(o.Spec.JobTemplate.Spec.Template.Spec.Containers)
			last, zone, suspended := "<none>", "<none>", "<unset>"
			if t := o.Status.LastScheduleTime; t != nil {
				last = age(*t, now)
			}
			if o.Spec.TimeZone != nil {
				zone = *o.Spec.TimeZone
			}
			if o.Spec.Suspend != nil {
				suspended = strings.ToUpper(fmt.Sprint(*o.Spec.Suspend))[:1] + fmt.Sprint(*o.Spec.Suspend)[1:]
			}
			return []any{
				o.Name, o.Spec.Schedule, zone, suspended, int64(len(o.Status.Active)), last, age(o.CreationTimestamp, now),
				names, images, metav1.FormatLabelSelector(o.Spec.JobTemplate.Spec.Selector),
			}
		}),
		{Group: autoscalingv2.GroupName, Kind: "HorizontalPodAutoscaler"}: newPrinter("Name, Reference, Targets, MinPods, MaxPods, Replicas, Age", autoscaler),
	}
}

func job(o *batchv1.Job, now moment) []any {
	completions, desired := "", "<none>"
	switch parallelism := replicas(o.Spec.Parallelism); {
	case o.Spec.Completions != nil:
		completions, desired = fmt.Sprintf("%d/%d", o.Status.Succeeded, *o.Spec.Completions), strconv.Itoa(int(*o.Spec.Completions))
	case parallelism > 1:
		completions = fmt.Sprintf("%d/1 of %d", o.Status.Succeeded, parallelism)
	default:
		completions = fmt.Sprintf("%d/1", o.Status.Succeeded)
	}
	took := ""
	if start := o.Status.StartTime; start != nil {
		end := metav1.Time{Time: now.Time}
		if o.Status.CompletionTime != nil {
			end = *o.Status.CompletionTime
		}
		took = now.duration(end.Sub(start.Time))
	}
	isTrue := func(kind batchv1.JobConditionType) bool {
		return slices.ContainsFunc(o.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == kind && c.Status == corev1.ConditionTrue })
	}
	status := "Running"
	switch {
	case isTrue(batchv1.JobComplete):
		status = "Complete"
	case isTrue(batchv1.JobFailed):
		status = "Failed"
	case o.DeletionTimestamp != nil:
		status = "Terminating"
	case isTrue(batchv1.JobSuspended):
		status = "Suspended"
	case isTrue(batchv1.JobFailureTarget):
		status = "FailureTarget"
	case isTrue(batchv1.JobSuccessCriteriaMet) && now.release.Has(kubeversion.TableSuccessCriteria):
		status = "SuccessCriteriaMet"
	}
	names, images := containers(o.Spec.Template.Spec.Containers)
	return []any{o.Name, status, completions, desired, int64(o.Status.Succeeded), took, age(o.CreationTimestamp, now), names, images, metav1.FormatLabelSelector(o.Spec.Selector)}
}

func autoscaler(o *autoscalingv2.HorizontalPodAutoscaler, now moment) []any {
	minimum := "<unset>"
	if o.Spec.MinReplicas != nil {
		minimum = fmt.Sprint(*o.Spec.MinReplicas)
	}
	return []any{
		o.Name, o.Spec.ScaleTargetRef.Kind + "/" + o.Spec.ScaleTargetRef.Name, targets(o.Spec.Metrics, o.Status.CurrentMetrics, now.release),
		minimum, int64(o.Spec.MaxReplicas), int64(o.Status.CurrentReplicas), age(o.CreationTimestamp, now),
	}
}

// targets returns what an autoscaler measures and what it wants, for two metrics at most.
func targets(specs []autoscalingv2.MetricSpec, statuses []autoscalingv2.MetricStatus, release *kubeversion.Release) string {
	var all []string
	for i, spec := range specs {
		var status autoscalingv2.MetricStatus
		if i < len(statuses) {
			status = statuses[i]
		}
		if text := target(spec, status, release); text != "" {
			all = append(all, text)
		}
	}
	const most = 2
	switch {
	case len(specs) == 0:
		return "<none>"
	case len(all) > most:
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:most], ", "), len(all)-most)
	}
	return strings.Join(all, ", ")
}

func target(spec autoscalingv2.MetricSpec, status autoscalingv2.MetricStatus, release *kubeversion.Release) string {
	var want autoscalingv2.MetricTarget
	var current *autoscalingv2.MetricValueStatus
	name := ""
	switch {
	case spec.Type == autoscalingv2.ExternalMetricSourceType && spec.External != nil:
		want = spec.External.Target
		if status.External != nil {
			current = &status.External.Current
		}
	case spec.Type == autoscalingv2.ObjectMetricSourceType && spec.Object != nil:
		want = spec.Object.Target
		if status.Object != nil {
			current = &status.Object.Current
		}
	case spec.Type == autoscalingv2.PodsMetricSourceType && spec.Pods != nil:
		if status.Pods != nil {
			current = &status.Pods.Current
		}
		return averageOf(current) + "/" + spec.Pods.Target.AverageValue.String()
	case spec.Type == autoscalingv2.ResourceMetricSourceType && spec.Resource != nil:
		want, name = spec.Resource.Target, string(spec.Resource.Name)+": "
		if status.Resource != nil {
			current = &status.Resource.Current
		}
	case spec.Type == autoscalingv2.ContainerResourceMetricSourceType && spec.ContainerResource != nil:
		want, name = spec.ContainerResource.Target, string(spec.ContainerResource.Name)+": "
		if status.ContainerResource != nil {
			current = &status.ContainerResource.Current
		}
	default:
		return "<unknown type>"
	}
	ofResource := name != ""
	if !release.Has(kubeversion.TableMetricNames) {
		name = ""
	}
	switch {
	case ofResource && want.AverageValue != nil:
		return fmt.Sprintf("%s%s/%s", name, averageOf(current), want.AverageValue)
	case ofResource:
		return fmt.Sprintf("%s%s/%s", name, percent(utilizationOf(current), "<unknown>"), percent(want.AverageUtilization, "<auto>"))
	case want.AverageValue != nil && (spec.Object == nil || release.Has(kubeversion.TableObjectAverages)):
		return fmt.Sprintf("%s/%s (avg)", averageOf(current), want.AverageValue)
	}
	value := "<unknown>"
	if current != nil && current.Value != nil {
		value = current.Value.String()
	}
	return value + "/" + want.Value.String()
}

func averageOf(current *autoscalingv2.MetricValueStatus) string {
	if current == nil || current.AverageValue == nil {
		return "<unknown>"
	}
	return current.AverageValue.String()
}

func utilizationOf(current *autoscalingv2.MetricValueStatus) *int32 {
	if current == nil {
		return nil
	}
	return current.AverageUtilization
}

func percent(n *int32, none string) string {
	if n == nil {
		return none
	}
	return fmt.Sprintf("%d%%", *n)
}

func deploymentSelector(s *metav1.LabelSelector) string {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return "<invalid>"
	}
	return selector.String()
}
