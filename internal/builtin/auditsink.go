package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// An AuditSink says which audit events the server sends, and where (1.13 to 1.18). It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type AuditSink struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              AuditSinkSpec `json:"spec,omitempty"`
}

// An AuditSinkList is a list of AuditSinks.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type AuditSinkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AuditSink `json:"items"`
}

// An AuditSinkSpec says which events go where.
type AuditSinkSpec struct {
	Policy  AuditPolicy  `json:"policy"`
	Webhook AuditWebhook `json:"webhook"`
}

// An AuditPolicy says how much of an event is sent, and at which stages of a request.
type AuditPolicy struct {
	Level  string   `json:"level"`
	Stages []string `json:"stages"`
}

// An AuditWebhook says where events are sent to, and how many.
type AuditWebhook struct {
	Throttle     *AuditThrottle    `json:"throttle,omitempty"`
	ClientConfig AuditClientConfig `json:"clientConfig"`
}

// An AuditThrottle limits how many batches are sent per second.
type AuditThrottle struct {
	QPS   *int64 `json:"qps,omitempty"`
	Burst *int64 `json:"burst,omitempty"`
}

// An AuditClientConfig is a URL or a service.
type AuditClientConfig struct {
	URL      *string                `json:"url,omitempty"`
	Service  *AuditServiceReference `json:"service,omitempty"`
	CABundle []byte                 `json:"caBundle,omitempty"`
}

// An AuditServiceReference is a service of the cluster.
type AuditServiceReference struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Path      *string `json:"path,omitempty"`
	Port      *int32  `json:"port,omitempty"`
}
