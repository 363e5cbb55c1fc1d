package objects

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groups are the API groups whose kinds have rules.
func groups() []Group {
	return slices.Concat(genericGroups(), []Group{
		podGroup(),
		coreGroup(),
		appsGroup(),
		autoscalingGroup(),
		batchGroup(),
		discoveryGroup(),
		networkingGroup(),
		nodeGroup(),
		policyGroup(),
		resourceGroup(),
		schedulingGroup(),
		storageGroup(),
	})
}

var entries = sync.OnceValue(func() map[schema.GroupVersionKind]*entry {
	m := map[schema.GroupVersionKind]*entry{}
	for _, g := range groups() {
		for _, e := range g.Kinds {
			m[e.gvk] = e
		}
	}
	return m
})

var spokes = sync.OnceValue(func() map[schema.GroupVersionKind]*spoke {
	m := map[schema.GroupVersionKind]*spoke{}
	for _, g := range groups() {
		for _, s := range g.Versions {
			m[s.gvk] = s
		}
	}
	return m
})
