// kubernetes/kubernetes:pkg/apis/events/v1beta1/conversion.go

package core

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// eventVersions returns the events of their own group.
func eventVersions() []*rules.Version {
	event := "Event"
	return []*rules.Version{
		rules.VersionOf(eventsv1.SchemeGroupVersion.WithKind(event), corev1.SchemeGroupVersion.WithKind(event), nil, eventToCore, eventFromCore),
		rules.VersionOf(eventsv1beta1.SchemeGroupVersion.WithKind(event), corev1.SchemeGroupVersion.WithKind(event), nil,
			func(in *eventsv1beta1.Event) *corev1.Event {
				return eventToCore(rules.Refit[*eventsv1.Event](in))
			},
			func(in *corev1.Event) *eventsv1beta1.Event {
				return rules.Refit[*eventsv1beta1.Event](eventFromCore(in))
			}),
	}
}
