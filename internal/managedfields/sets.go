package managedfields

import (
	"bytes"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// A setCache holds sets of fields that were read: objects of one workload have the same
// fields, so that the same text comes again and again. The sets are not to be changed.
type setCache struct {
	lock  sync.RWMutex
	known map[setOf]*fieldpath.Set
}

type setOf struct {
	kind schema.GroupVersionKind
	text string
}

const mostSets = 512

// read reads a set of fields of live, which is of that kind, and brings it into line with the
// schema where that has changed.
func (c *setCache) read(kind schema.GroupVersionKind, text []byte, live *typed.TypedValue) (*fieldpath.Set, error) {
	c.lock.RLock()
	known, ok := c.known[setOf{kind, string(text)}]
	c.lock.RUnlock()
	if ok {
		return known, nil
	}
	set := &fieldpath.Set{}
	if err := set.FromJSON(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	reconciled, err := typed.ReconcileFieldSetWithSchema(set, live)
	if err != nil {
		return nil, err
	}
	if reconciled != nil {
		return reconciled, nil // which depends on the object
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.known == nil || len(c.known) >= mostSets {
		c.known = map[setOf]*fieldpath.Set{}
	}
	c.known[setOf{kind, string(text)}] = set
	return set, nil
}

// An elementCache holds what items of one list are called that have a name for a key: the
// containers of a workload have the same names again and again. Nobody changes the elements.
type elementCache struct {
	lock  sync.RWMutex
	known map[string]fieldpath.PathElement
}

const mostElements = 512

func (c *elementCache) element(key, name string) fieldpath.PathElement {
	c.lock.RLock()
	known, ok := c.known[name]
	c.lock.RUnlock()
	if ok {
		return known
	}
	name = strings.Clone(name) // which may be a part of a large text
	made := fieldpath.PathElement{Key: &value.FieldList{{Name: key, Value: value.NewValueInterface(name)}}}
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.known == nil || len(c.known) >= mostElements {
		c.known = map[string]fieldpath.PathElement{}
	}
	c.known[name] = made
	return made
}
