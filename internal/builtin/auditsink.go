package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// An AuditSink says which audit events the server sends, and where (1.13 to 1.18). It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type AuditSink struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              AuditSinkSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// An AuditSinkList is a list of AuditSinks.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type AuditSinkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []AuditSink `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// An AuditSinkSpec says which events go where.
type AuditSinkSpec struct {
	Policy  AuditPolicy  `json:"policy" protobuf:"bytes,1,opt,name=policy"`
	Webhook AuditWebhook `json:"webhook" protobuf:"bytes,2,opt,name=webhook"`
}

// An AuditPolicy says how much of an event is sent, and at which stages of a request.
type AuditPolicy struct {
	Level  string   `json:"level" protobuf:"bytes,1,opt,name=level"`
	Stages []string `json:"stages" protobuf:"bytes,2,opt,name=stages"`
}

// An AuditWebhook says where events are sent to, and how many.
type AuditWebhook struct {
	Throttle     *AuditThrottle    `json:"throttle,omitempty" protobuf:"bytes,1,opt,name=throttle"`
	ClientConfig AuditClientConfig `json:"clientConfig" protobuf:"bytes,2,opt,name=clientConfig"`
}

// An AuditThrottle limits how many batches are sent per second.
type AuditThrottle struct {
	QPS   *int64 `json:"qps,omitempty" protobuf:"bytes,1,opt,name=qps"`
	Burst *int64 `json:"burst,omitempty" protobuf:"bytes,2,opt,name=burst"`
}

// An AuditClientConfig is a URL or a service.
type AuditClientConfig struct {
	URL      *string                `json:"url,omitempty" protobuf:"bytes,1,opt,name=url"`
	Service  *AuditServiceReference `json:"service,omitempty" protobuf:"bytes,2,opt,name=service"`
	CABundle []byte                 `json:"caBundle,omitempty" protobuf:"bytes,3,opt,name=caBundle"`
}

// An AuditServiceReference is a service of the cluster.
type AuditServiceReference struct {
	Namespace string  `json:"namespace" protobuf:"bytes,1,opt,name=namespace"`
	Name      string  `json:"name" protobuf:"bytes,2,opt,name=name"`
	Path      *string `json:"path,omitempty" protobuf:"bytes,3,opt,name=path"`
	Port      *int32  `json:"port,omitempty" protobuf:"varint,4,opt,name=port"`
}
