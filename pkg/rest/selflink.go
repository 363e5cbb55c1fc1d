package rest

import (
	"cmp"
	"net/url"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// linked returns an object of an answer with its metadata.selfLink. Servers up to 1.19 set it in every answer, after
// admission, and after the object is stored without it, so webhooks never see it:
// kubernetes/apiserver:pkg/endpoints/handlers/response.go and pkg/storage/etcd3/api_object_versioner.go.
func (x *exchange) linked(object runtime.Object) runtime.Object {
	if _, isStatus := object.(*metav1.Status); object == nil || isStatus || x.server.release().Has(kubeversion.NoSelfLinks) {
		return object
	}
	object = object.DeepCopyObject()
	if !meta.IsListType(object) {
		x.link(object)
		return object
	}
	if list, err := meta.ListAccessor(object); err == nil {
		list.SetSelfLink(x.collectionPath())
	}
	if err := meta.EachListItem(object, func(item runtime.Object) error { x.link(item); return nil }); err != nil {
		panic(err) // the list was created above
	}
	return object
}

// link sets the selfLink of one object: the path of the object, whatever the path of the request was. Objects without a
// name, such as reviews, get none.
func (x *exchange) link(object runtime.Object) {
	m, err := meta.Accessor(object)
	if err != nil {
		return
	}
	name, namespace := m.GetName(), cmp.Or(m.GetNamespace(), x.req.Namespace)
	if x.req.Verb != Create || x.req.Subresource != "" {
		name = cmp.Or(name, x.req.Name) // of the URL
	}
	if name == "" {
		return
	}
	suffix := ""
	if x.req.Subresource != "" {
		suffix = "/" + x.req.Subresource
	}
	if !x.resource.Namespaced {
		m.SetSelfLink(versionPath(x.req.Resource.GroupVersion()) + "/" + x.req.Resource.Resource + "/" + url.QueryEscape(name) + suffix)
		return
	}
	path := url.URL{Path: versionPath(x.req.Resource.GroupVersion()) + "/namespaces/" + namespace + "/" + x.req.Resource.Resource + "/" + name + suffix}
	m.SetSelfLink(path.EscapedPath())
}

func (x *exchange) collectionPath() string {
	path := versionPath(x.req.Resource.GroupVersion())
	if x.resource.Namespaced && x.req.Namespace != "" {
		path += "/namespaces/" + x.req.Namespace
	}
	return path + "/" + x.req.Resource.Resource
}
