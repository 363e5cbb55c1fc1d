package audit

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/snapshot"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A shownWorld is the last state that a log shows of the objects that admission depends on; those that it does not show
// are as they were when it began. An object that requests need to find stays after it was deleted, for the requests
// before that. An object that may refuse requests does not. There are no webhooks, since nothing answers for them.
type shownWorld struct {
	release    *kubeversion.Release
	objects    map[recording.Key]manifest.Manifest // with the place that shows them
	namespaces map[string]bool                     // namespaces of cases; true: the namespace has to exist
	params     []string                            // kinds with their groups
}

// refusing are the resources that may cause requests to be refused.
var refusing = map[string][]string{
	"": {"resourcequotas", "limitranges"},
	"admissionregistration.k8s.io": {
		"validatingadmissionpolicies", "validatingadmissionpolicybindings",
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
	},
}

func newShownWorld(r *kubeversion.Release) shownWorld {
	return shownWorld{release: r, objects: map[recording.Key]manifest.Manifest{}, namespaces: map[string]bool{}}
}

func (w *shownWorld) note(r *recording.Record) {
	at := manifest.Source{File: r.Position.File, Line: r.Position.Line}
	for _, e := range r.Effects {
		switch {
		case e.Unknown != "":
		case e.Object == nil && (slices.Contains(refusing[e.Key.Group], e.Key.Resource) || !snapshot.Reads(e.Key.Group, e.Key.Resource)):
			delete(w.objects, e.Key)
		case e.Object != nil && w.wants(e.Key, e.Object):
			w.objects[e.Key] = shown(e.Key, e.Object, at)
		}
	}
}

// shown returns an object that a log shows as a manifest.
func shown(k recording.Key, object json.RawMessage, at manifest.Source) manifest.Manifest {
	var kind metav1.TypeMeta
	_ = json.Unmarshal(object, &kind) // wants has read it
	return manifest.Manifest{GroupVersionKind: kind.GroupVersionKind(), Namespace: k.Namespace, Name: k.Name, JSON: slices.Clone(object), Source: at}
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
	_, builtIn := w.release.ForKind(kind.GroupVersionKind())
	_, defined := w.objects[recording.Key{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Name: k.Resource + "." + k.Group}]
	return builtIn || defined
}

// hasCase records that there is a case in the namespace of the request.
func (w *shownWorld) hasCase(r *recording.Record) {
	if r.Namespace != "" {
		w.namespaces[r.Namespace] = w.namespaces[r.Namespace] || r.Resource.Resource != "namespaces"
	}
}

// ofCases returns the objects that cases may find. A namespace of which the log shows nothing has only a name.
func (w *shownWorld) ofCases() map[recording.Key]manifest.Manifest {
	found := map[recording.Key]manifest.Manifest{}
	for name, needed := range w.namespaces {
		if needed {
			kind := metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}
			object := manifest.Encode(map[string]any{"apiVersion": kind.APIVersion, "kind": kind.Kind, "metadata": map[string]any{"name": name}})
			found[recording.Key{Resource: "namespaces", Name: name}] = manifest.Manifest{GroupVersionKind: kind.GroupVersionKind(), Name: name, JSON: object}
		}
	}
	for k, object := range w.objects {
		within := k.Namespace
		if k.Group == "" && k.Resource == "namespaces" {
			within = k.Name
		}
		if _, ok := w.namespaces[within]; ok || within == "" {
			found[k] = object
		}
	}
	return found
}

// writeWorld writes objects to a folder.
func writeWorld(folder string, objects map[recording.Key]manifest.Manifest, redactor *redact.Redactor) error {
	to, err := snapshot.NewFolder(folder, nil, redactor)
	if err != nil {
		return err
	}
	for k, object := range objects {
		var o snapshot.Object
		if err := json.Unmarshal(object.JSON, &o); err != nil {
			return err
		}
		if err := to.Write(strings.TrimSuffix(k.Resource+"."+k.Group, "."), o); err != nil {
			return err
		}
	}
	return nil
}
