package recording

import (
	"strconv"
	"strings"
)

// A head holds what an object's own fields say about it.
type head struct {
	kind, apiVersion, name, namespace, uid string
	version, generation                    int64
	terminating                            bool
	grace                                  int64
	finalizers                             bool // of any kind
	managed                                []byte
	items                                  []byte // of a list
}

func headOf(object []byte) (h head) {
	eachField(object, func(key, value []byte) {
		switch string(key) {
		case "kind":
			h.kind = unquote(value)
		case "apiVersion":
			h.apiVersion = unquote(value)
		case "metadata":
			h.readMetadata(value)
		case "items":
			h.items = value
		}
	})
	if h.kind == "Namespace" && h.apiVersion == "v1" {
		h.finalizers = h.finalizers || elements(fieldOf(fieldOf(object, "spec"), "finalizers")) > 0
	}
	return h
}

func (h *head) readMetadata(metadata []byte) {
	eachField(metadata, func(key, value []byte) {
		switch string(key) {
		case "name":
			h.name = unquote(value)
		case "namespace":
			h.namespace = unquote(value)
		case "uid":
			h.uid = unquote(value)
		case "resourceVersion":
			h.version, _ = strconv.ParseInt(unquote(value), 10, 64) // otherwise unknown
		case "generation":
			h.generation, _ = strconv.ParseInt(string(value), 10, 64)
		case "deletionTimestamp":
			h.terminating = given(value)
		case "deletionGracePeriodSeconds":
			h.grace, _ = strconv.ParseInt(string(value), 10, 64)
		case "finalizers":
			h.finalizers = elements(value) > 0
		case "managedFields":
			h.managed = value
		}
	})
}

// stored reports whether the object is one that the server stores, and shows whole.
func (h *head) stored() bool {
	return h.uid != "" && h.name != "" && h.kind != "Scale" && h.kind != "TokenRequest" &&
		!strings.HasPrefix(h.apiVersion, "meta.k8s.io/")
}

// gone reports whether a write that left the object in this state deleted it, since nothing is left to wait for
// (kubernetes/apiserver:pkg/registry/generic/registry/store.go, ShouldDeleteDuringUpdate).
func (h *head) gone() bool { return h.terminating && !h.finalizers && h.grace == 0 }
