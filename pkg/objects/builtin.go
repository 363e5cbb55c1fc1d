package objects

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// hubs lists the built-in kinds that have rules, each in its hub version.
func hubs() []*entry {
	return []*entry{
		hub(corev1.SchemeGroupVersion, "ConfigMap", configMap),
	}
}

// versions lists the other versions, where they differ from their hub in more than name.
func versions() []*spoke {
	return []*spoke{}
}

var entries = sync.OnceValue(func() map[schema.GroupVersionKind]*entry {
	m := map[schema.GroupVersionKind]*entry{}
	for _, e := range hubs() {
		m[e.gvk] = e
	}
	return m
})

var spokes = sync.OnceValue(func() map[schema.GroupVersionKind]*spoke {
	m := map[schema.GroupVersionKind]*spoke{}
	for _, s := range versions() {
		m[s.gvk] = s
	}
	return m
})
