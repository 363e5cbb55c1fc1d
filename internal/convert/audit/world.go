package audit

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/snapshot"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A shownWorld is the last state that a log shows of the objects that admission depends on; those that it does not show
// are as they were when it began. An object that requests need to find stays after it was deleted, for the requests
// before that. An object that may refuse requests does not. There are no webhooks, since nothing answers for them.
type shownWorld struct {
	objects    map[recording.Key]json.RawMessage
	namespaces map[string]bool // namespaces of cases; true: the namespace has to exist
	params     []string        // kinds with their groups
}

// refusing are the resources that may cause requests to be refused.
var refusing = map[string][]string{
	"": {"resourcequotas", "limitranges"},
	"admissionregistration.k8s.io": {
		"validatingadmissionpolicies", "validatingadmissionpolicybindings",
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
	},
}

func (w *shownWorld) begin() {
	if w.objects == nil {
		w.objects, w.namespaces = map[recording.Key]json.RawMessage{}, map[string]bool{}
	}
}

func (w *shownWorld) note(r *recording.Record) {
	w.begin()
	for _, e := range r.Effects {
		switch {
		case e.Unknown != "":
		case e.Object == nil && (slices.Contains(refusing[e.Key.Group], e.Key.Resource) || !snapshot.Reads(e.Key.Group, e.Key.Resource)):
			delete(w.objects, e.Key)
		case e.Object != nil && w.wants(e.Key, e.Object):
			w.objects[e.Key] = slices.Clone(e.Object)
		}
	}
}

// wants reports whether the object belongs into the world. The objects of policies determine which params do.
func (w *shownWorld) wants(k recording.Key, object json.RawMessage) bool {
	isRead := snapshot.Reads(k.Group, k.Resource)
	if k.Resource == "mutatingwebhookconfigurations" || k.Resource == "validatingwebhookconfigurations" ||
		!isRead && (len(w.params) == 0 || k.Resource == "secrets") {
		return false
	}
	var o struct {
		metav1.TypeMeta
		Metadata metav1.ObjectMeta
		Spec     struct{ ParamKind *metav1.TypeMeta }
	}
	if json.Unmarshal(object, &o) != nil || o.Metadata.DeletionTimestamp != nil {
		return false
	}
	if param := o.Spec.ParamKind; param != nil && k.Group == "admissionregistration.k8s.io" {
		if kind := param.GroupVersionKind().GroupKind().String(); !slices.Contains(w.params, kind) {
			w.params = append(w.params, kind)
		}
	}
	if !isRead {
		return slices.Contains(w.params, o.GroupVersionKind().GroupKind().String()) && w.serves(k, o.TypeMeta)
	}
	return o.Metadata.Labels["kubernetes.io/bootstrapping"] == "" // every server creates these itself
}

// serves reports whether the world has the kind of an object.
func (w *shownWorld) serves(k recording.Key, kind metav1.TypeMeta) bool {
	_, builtIn := kubeversion.Default().ForKind(kind.GroupVersionKind())
	_, defined := w.objects[recording.Key{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Name: k.Resource + "." + k.Group}]
	return builtIn || defined
}

// hasCase records that there is a case in the namespace of the request.
func (w *shownWorld) hasCase(r *recording.Record) {
	if r.Namespace != "" {
		w.namespaces[r.Namespace] = w.namespaces[r.Namespace] || r.Resource.Resource != "namespaces"
	}
}

// write writes the objects that cases may find. A namespace of which the log shows nothing has only a name.
func (w *shownWorld) write(folder string, redactor *redact.Redactor) error {
	to, err := snapshot.NewFolder(folder, redactor)
	if err != nil {
		return err
	}
	for k, object := range w.objects {
		within, isNamespace := k.Namespace, k.Group == "" && k.Resource == "namespaces"
		if isNamespace {
			within = k.Name
		}
		if _, ok := w.namespaces[within]; within != "" && !ok {
			continue
		}
		if isNamespace {
			w.namespaces[within] = false // written
		}
		var o snapshot.Object
		if err := json.Unmarshal(object, &o); err != nil {
			return err
		}
		if err := to.Write(strings.TrimSuffix(k.Resource+"."+k.Group, "."), o); err != nil {
			return err
		}
	}
	for name, missing := range w.namespaces {
		if !missing {
			continue
		}
		o := snapshot.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
		if err := to.Write("namespaces", o); err != nil {
			return err
		}
	}
	return nil
}
