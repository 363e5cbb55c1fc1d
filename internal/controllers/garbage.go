package controllers

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
)

// owners tracks who owns what, and which objects exist, as far as events have told.
type owners struct {
	existing   map[types.UID]int // number of objects with a UID: more than one if several kinds show the same object
	deleting   map[types.UID]bool
	dependents map[types.UID]map[cluster.Key]bool
}

func newOwners() owners {
	return owners{map[types.UID]int{}, map[types.UID]bool{}, map[types.UID]map[cluster.Key]bool{}}
}

// noteOwners records an initial object.
func (c *Controllers) noteOwners(object runtime.Object) { c.owned.add(object) }

func (o owners) add(object runtime.Object) {
	m, err := meta.Accessor(object)
	if err != nil {
		return
	}
	o.existing[m.GetUID()]++
	if m.GetDeletionTimestamp() != nil {
		o.deleting[m.GetUID()] = true
	}
	for _, ref := range m.GetOwnerReferences() {
		if o.dependents[ref.UID] == nil {
			o.dependents[ref.UID] = map[cluster.Key]bool{}
		}
		o.dependents[ref.UID][cluster.KeyOf(object)] = true
	}
}

func (o owners) remove(object runtime.Object) {
	m, err := meta.Accessor(object)
	if err != nil {
		return
	}
	if o.existing[m.GetUID()]--; o.existing[m.GetUID()] <= 0 {
		delete(o.existing, m.GetUID())
		delete(o.deleting, m.GetUID())
	}
	for _, ref := range m.GetOwnerReferences() {
		delete(o.dependents[ref.UID], cluster.KeyOf(object))
		if len(o.dependents[ref.UID]) == 0 {
			delete(o.dependents, ref.UID)
		}
	}
}

// of returns the keys of the objects that the object with a UID owns, sorted.
func (o owners) of(uid types.UID) []cluster.Key {
	var keys []cluster.Key
	for k := range o.dependents[uid] {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b cluster.Key) int {
		switch at, bt := a.String()+"/"+a.Namespace+"/"+a.Name, b.String()+"/"+b.Namespace+"/"+b.Name; {
		case at < bt:
			return -1
		case at > bt:
			return 1
		}
		return 0
	})
	return keys
}

var collector = as("generic-garbage-collector")

// collect deletes objects whose owners are all gone, and continues deletions that wait for dependents:
// kubernetes/kubernetes:pkg/controller/garbagecollector/garbagecollector.go. Initial objects whose owners are missing
// from the start stay.
func collect(c *Controllers, ctx context.Context, e *store.Event) {
	if e.Before.Object != nil {
		c.owned.remove(e.Before.Object)
	}
	if e.After.Object != nil {
		c.owned.add(e.After.Object)
	}
	if e.Before.Object != nil {
		if before, err := meta.Accessor(e.Before.Object); err == nil && e.After.Object == nil {
			c.ownerGone(ctx, before)
			c.dependentChanged(ctx, before)
			return
		}
	}
	m, err := meta.Accessor(e.After.Object)
	if err != nil {
		return
	}
	if e.Before.Object == nil && len(m.GetOwnerReferences()) > 0 {
		c.attend(ctx, e.Key)
	}
	if m.GetDeletionTimestamp() != nil {
		c.wait(ctx, e.Key)
	}
	c.dependentChanged(ctx, m)
}

// ownerGone handles the dependents of an object that is gone.
func (c *Controllers) ownerGone(ctx context.Context, owner metav1.Object) {
	for _, k := range c.owned.of(owner.GetUID()) {
		c.attend(ctx, k)
	}
}

// attend deletes an object that has no owners left. Otherwise it removes the references to owners that are gone.
func (c *Controllers) attend(ctx context.Context, k cluster.Key) {
	m, ok := c.current(k)
	if !ok || m.GetDeletionTimestamp() != nil {
		return
	}
	var left []metav1.OwnerReference
	for _, ref := range m.GetOwnerReferences() {
		if c.owned.existing[ref.UID] > 0 {
			left = append(left, ref)
		}
	}
	switch {
	case len(left) == len(m.GetOwnerReferences()):
	case len(left) == 0:
		c.delete(ctx, collector, k, map[string]any{"propagationPolicy": policyOf(m), "preconditions": map[string]any{"uid": m.GetUID()}})
	default:
		c.patch(ctx, rest.Request{User: collector}, k, "", map[string]any{"metadata": map[string]any{"uid": m.GetUID(), "ownerReferences": left}})
	}
}

// policyOf returns the policy with which the collector deletes an object, as its finalizers ask for.
func policyOf(m metav1.Object) metav1.DeletionPropagation {
	switch {
	case slices.Contains(m.GetFinalizers(), metav1.FinalizerOrphanDependents):
		return metav1.DeletePropagationOrphan
	case slices.Contains(m.GetFinalizers(), metav1.FinalizerDeleteDependents):
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

func (c *Controllers) current(k cluster.Key) (metav1.Object, bool) {
	found, ok := c.store.Latest().State().Find(k)
	if !ok {
		return nil, false
	}
	m, err := meta.Accessor(found.Object)
	return m, err == nil
}

// dependentChanged continues the deletion of owners that wait for the object. That an owner is deleted counts once its event
// came: before, not all its dependents are known.
func (c *Controllers) dependentChanged(ctx context.Context, m metav1.Object) {
	for _, ref := range m.GetOwnerReferences() {
		if !c.owned.deleting[ref.UID] {
			continue
		}
		for _, namespace := range []string{m.GetNamespace(), ""} {
			kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
			k := cluster.Key{GroupKind: kind, Namespace: namespace, Name: ref.Name}
			if owner, ok := c.current(k); ok && owner.GetUID() == ref.UID && owner.GetDeletionTimestamp() != nil {
				c.wait(ctx, k)
			}
		}
	}
}

// wait does the work that the collector's finalizers stand for, and removes them once it is done.
func (c *Controllers) wait(ctx context.Context, k cluster.Key) {
	m, ok := c.current(k)
	if !ok || m.GetDeletionTimestamp() == nil {
		return
	}
	switch {
	case slices.Contains(m.GetFinalizers(), metav1.FinalizerOrphanDependents):
		for _, dependent := range c.owned.of(m.GetUID()) {
			c.orphan(ctx, dependent, m.GetUID())
		}
		c.release(ctx, k, m, metav1.FinalizerOrphanDependents)
	case slices.Contains(m.GetFinalizers(), metav1.FinalizerDeleteDependents):
		blocked := false
		for _, dependent := range c.owned.of(m.GetUID()) {
			d, ok := c.current(dependent)
			if !ok {
				continue
			}
			if d.GetDeletionTimestamp() == nil {
				policy := metav1.DeletePropagationBackground
				if len(c.owned.of(d.GetUID())) > 0 {
					policy = metav1.DeletePropagationForeground
				}
				c.delete(ctx, collector, dependent, map[string]any{"propagationPolicy": policy, "preconditions": map[string]any{"uid": d.GetUID()}})
			}
			if d, ok = c.current(dependent); ok && blocks(d, m.GetUID()) {
				blocked = true
			}
		}
		if !blocked {
			c.release(ctx, k, m, metav1.FinalizerDeleteDependents)
		}
	}
}

// blocks reports whether an owner waits for a dependent.
func blocks(m metav1.Object, owner types.UID) bool {
	return slices.ContainsFunc(m.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
	})
}

// orphan removes an owner from an object.
func (c *Controllers) orphan(ctx context.Context, k cluster.Key, owner types.UID) {
	m, ok := c.current(k)
	if !ok {
		return
	}
	left := slices.DeleteFunc(slices.Clone(m.GetOwnerReferences()), func(ref metav1.OwnerReference) bool { return ref.UID == owner })
	c.patch(ctx, rest.Request{User: collector}, k, "", map[string]any{"metadata": map[string]any{"uid": m.GetUID(), "ownerReferences": left}})
}

func (c *Controllers) release(ctx context.Context, k cluster.Key, m metav1.Object, finalizer string) {
	left := slices.DeleteFunc(slices.Clone(m.GetFinalizers()), func(f string) bool { return f == finalizer })
	c.patch(ctx, rest.Request{User: collector}, k, "", map[string]any{"metadata": map[string]any{"uid": m.GetUID(), "finalizers": left}})
}
