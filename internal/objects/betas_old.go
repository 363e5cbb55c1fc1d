package objects

import (
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// eventVersions are the events of their own group.
func eventVersions() []*spoke {
	event := "Event"
	return []*spoke{
		versionOf(eventsv1.SchemeGroupVersion.WithKind(event), corev1.SchemeGroupVersion.WithKind(event), nil, eventToCore, eventFromCore),
		versionOf(eventsv1beta1.SchemeGroupVersion.WithKind(event), corev1.SchemeGroupVersion.WithKind(event), nil,
			func(in *eventsv1beta1.Event) *corev1.Event {
				return eventToCore(refit[*eventsv1.Event](in))
			},
			func(in *corev1.Event) *eventsv1beta1.Event {
				return refit[*eventsv1beta1.Event](eventFromCore(in))
			}),
	}
}

// emptySelector tells v1's empty selector of a budget, which selects every pod, from
// v1beta1's, which selects none (CV-06).
const emptySelector = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"

func selectsBy(s *metav1.LabelSelector, operator metav1.LabelSelectorOperator) bool {
	return s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 1 &&
		s.MatchExpressions[0].Key == emptySelector && s.MatchExpressions[0].Operator == operator
}

func isEmpty(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

func selectorBy(operator metav1.LabelSelectorOperator) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: emptySelector, Operator: operator}}}
}

func budgetToHub(in *policyv1beta1.PodDisruptionBudget, out *policyv1.PodDisruptionBudget) {
	switch {
	case isEmpty(in.Spec.Selector):
		out.Spec.Selector = selectorBy(metav1.LabelSelectorOpExists)
	case selectsBy(in.Spec.Selector, metav1.LabelSelectorOpDoesNotExist):
		out.Spec.Selector = &metav1.LabelSelector{}
	}
}

func budgetFromHub(in *policyv1.PodDisruptionBudget, out *policyv1beta1.PodDisruptionBudget) {
	switch {
	case isEmpty(in.Spec.Selector):
		out.Spec.Selector = selectorBy(metav1.LabelSelectorOpDoesNotExist)
	case selectsBy(in.Spec.Selector, metav1.LabelSelectorOpExists):
		out.Spec.Selector = &metav1.LabelSelector{}
	}
}

// The topology of a v1beta1 endpoint is its node, its zone and the rest.
func sliceToHub(in *discoveryv1beta1.EndpointSlice, out *discoveryv1.EndpointSlice) {
	for i := range in.Endpoints {
		for key, value := range in.Endpoints[i].Topology {
			switch key {
			case corev1.LabelHostname:
				if in.Endpoints[i].NodeName == nil {
					out.Endpoints[i].NodeName = &value
				}
			case corev1.LabelTopologyZone:
				out.Endpoints[i].Zone = &value
			default:
				out.Endpoints[i].DeprecatedTopology = with(out.Endpoints[i].DeprecatedTopology, key, value)
			}
		}
	}
}

func sliceFromHub(in *discoveryv1.EndpointSlice, out *discoveryv1beta1.EndpointSlice) {
	for i := range in.Endpoints {
		topology := in.Endpoints[i].DeprecatedTopology
		for key, value := range map[string]*string{corev1.LabelHostname: in.Endpoints[i].NodeName, corev1.LabelTopologyZone: in.Endpoints[i].Zone} {
			if value != nil {
				topology = with(topology, key, *value)
			}
		}
		out.Endpoints[i].Topology = topology
	}
}

// legacyUnknown is who signs a request that does not say so.
const legacyUnknown = "kubernetes.io/legacy-unknown"

func defaultSigningRequestV1beta1(r *certificatesv1beta1.CertificateSigningRequest) {
	if r.Spec.SignerName == nil {
		signer := legacyUnknown
		r.Spec.SignerName = &signer
	}
	if r.Spec.Usages == nil {
		r.Spec.Usages = []certificatesv1beta1.KeyUsage{certificatesv1beta1.UsageDigitalSignature, certificatesv1beta1.UsageKeyEncipherment}
	}
}
