// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

// Package custom has the rules of custom resources, which follow from their definitions. Package crd checks the
// definitions themselves.
package custom

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Kind is the kind of a CRD's custom resources in all its versions. Objects are *unstructured.Unstructured.
//
// The server has no internal version for them. A request is handled in the version of its URL; other versions only
// matter where a webhook asks for one (W-112), or where the object is stored. The steps of a write are in separate
// files:
//
//	decode     decode.go: read, drop what the schema does not know, default
//	patched    decode.go: read the object after a webhook's patch, dropping nothing (W-212)
//	prepare    strategy.go: status, generation
//	validate   validation.go: metadata, schema, lists, rules
//	store      storage.go: into the storage version and back, dropping again
//
// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go.
type Kind struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	kind     schema.GroupKind
	storage  schema.GroupVersion
	versions map[string]*customVersion
	former   moved.Fields // of metadata
	options  rules.Options
}

// New compiles the schemas of a CRD, but not the rules in them. The rules of a version are compiled when an object is
// first validated in that version.
//
// A CRD that the server would not have accepted is an error: admsim cannot know what the server does with its
// resources.
func New(crd *apiextensionsv1.CustomResourceDefinition, o rules.Options) (*Kind, error) {
	k := &Kind{
		crd:      crd,
		kind:     schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind},
		versions: make(map[string]*customVersion, len(crd.Spec.Versions)),
		options:  o,
	}
	k.former = moved.New(o.Release.Moved(k.kind)...)
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		compiled, err := compileVersion(crd, i, o.Release)
		if err != nil {
			return nil, fmt.Errorf("CustomResourceDefinition %s: version %s: %w", crd.Name, v.Name, err)
		}
		k.versions[v.Name] = compiled
		if v.Storage {
			k.storage = schema.GroupVersion{Group: crd.Spec.Group, Version: v.Name}
		}
	}
	if k.storage.Empty() {
		return nil, fmt.Errorf("CustomResourceDefinition %s: no version has storage: true", crd.Name)
	}
	return k, nil
}

// version returns the version in which a write is handled: the version of its URL. The body was compared with it on
// decoding, but a webhook may have changed the object since, so its own apiVersion does not count (W-215).
func (k *Kind) version(obj *unstructured.Unstructured, w rules.Write) *customVersion {
	if v, ok := k.versions[w.Resource.Version]; ok {
		return v
	}
	v, ok := k.versions[obj.GroupVersionKind().Version]
	if !ok {
		panic(fmt.Sprintf("objects: %s has no version %q", k.crd.Name, w.Resource.Version))
	}
	return v
}

func (k *Kind) PrepareForCreate(obj runtime.Object, w rules.Write) runtime.Object {
	u := obj.(*unstructured.Unstructured)
	k.version(u, w).prepareForCreate(u)
	rules.DropUnsaved(u, k.options.Release, w.Warn)
	return u
}

func (k *Kind) Export(obj runtime.Object, _ bool, w rules.Write) (runtime.Object, field.ErrorList) {
	return k.PrepareForCreate(obj.DeepCopyObject(), w), nil
}

// AfterUpdate returns old: nothing is shared with the object that replaces it.
func (k *Kind) AfterUpdate(old runtime.Object, _ rules.Write) runtime.Object { return old }

func (k *Kind) PrepareForUpdate(obj, old runtime.Object, w rules.Write) runtime.Object {
	u, before := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	rules.SetGeneration(u, before.GetGeneration())
	if w.Subresource == "status" {
		prepareForStatusUpdate(u, before)
	} else {
		k.version(u, w).prepareForUpdate(u, before)
	}
	rules.DropUnsaved(u, k.options.Release, w.Warn)
	rules.KeepSystemMetadata(u, before)
	return u
}

func (k *Kind) Validate(obj runtime.Object, w rules.Write) field.ErrorList {
	u := obj.(*unstructured.Unstructured)
	v := k.version(u, w)
	if errs := v.validate(u); len(errs) > 0 {
		return errs
	}
	return rules.ValidateAnyMetadata(u, v.namespaced)
}

func (k *Kind) ValidateUpdate(obj, old runtime.Object, w rules.Write) field.ErrorList {
	u, before := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	v := k.version(u, w)
	var errs rules.Errors
	errs.Add(rules.ValidateAnyMetadata(u, v.namespaced))
	errs.Add(rules.ValidateAnyMetadataUpdate(u, before, v.release))
	if w.Subresource == "status" {
		errs.Add(v.validateStatusUpdate(u, before, w.Warn))
		return errs.List()
	}
	errs.Add(v.validateUpdate(u, before, w.Warn))
	return errs.List()
}

func (k *Kind) Warnings(obj, old runtime.Object, w rules.Write) []string {
	if w.Subresource == "status" || !k.options.Release.Has(kubeversion.FinalizerWarnings) {
		return nil
	}
	return finalizerWarnings(obj, old)
}

// Behaviour follows customResourceStrategy: a PUT does not create objects, and an update must say which resourceVersion
// it changes.
func (k *Kind) Behaviour() rules.Behaviour { return rules.Behaviour{NeedsVersion: true} }
