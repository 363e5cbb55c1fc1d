package objects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A laterField is a field that was added to a kind later.
type laterField struct {
	kubeversion.Field
	path   []step
	beside [][]step // parsed
}

// A step leads to the field with this name, to an entry of a map, or to every item of a list.
type step struct {
	name  string
	items bool
}

// parsePath parses paths such as spec.containers[].name and metadata.labels[a.b/c]. [former:path] is the entry for a field
// that the types do not have ([moved.Kept]).
func parsePath(text string) []step {
	var steps []step
	for text != "" {
		end := strings.IndexAny(text, ".[")
		switch {
		case end < 0:
			return append(steps, step{name: text})
		case end > 0:
			steps = append(steps, step{name: text[:end]})
		}
		if text[end] == '.' {
			text = text[end+1:]
			continue
		}
		inside, rest, _ := strings.Cut(text[end+1:], "]")
		if path, ok := strings.CutPrefix(inside, "former:"); ok {
			inside = moved.Key(path)
		}
		steps = append(steps, step{name: inside, items: inside == ""})
		text = strings.TrimPrefix(rest, ".")
	}
	return steps
}

// laterFieldsOf returns the later fields of a kind, including those of pods if it contains one.
func laterFieldsOf(kind schema.GroupKind, r *kubeversion.Release) []laterField {
	var fields []laterField
	for _, f := range kubeversion.Fields(kind) {
		later := laterField{Field: f, path: parsePath(f.Path)}
		for _, path := range r.Beside(f) {
			later.beside = append(later.beside, parsePath(path))
		}
		fields = append(fields, later)
	}
	return fields
}

// laterFields holds, for each kind, the fields that a release does not have, or not by default.
type laterFields struct {
	release *kubeversion.Release
	kinds   memo.Map // schema.GroupKind → *laterInKind
	indexes memo.Map // reflect.Type → map[string][]int, the fields of structs by their names in JSON
}

// laterInKind holds the fields of one kind. It is immutable.
type laterInKind struct {
	all     []laterField
	unknown []laterField // the fields that the release does not have
	moved   moved.Fields // the fields that the release has in another place than the types
	gone    *fieldTree   // the unknown fields, and the moved ones at their places in the types
	places  *pathNode    // the paths of all as one tree, to recognize objects without any of them quickly
}

// in returns the fields of a kind.
func (c *laterFields) in(kind schema.GroupKind) *laterInKind {
	if known, ok := c.kinds.Load(kind); ok {
		return known.(*laterInKind)
	}
	in := &laterInKind{places: &pathNode{}}
	in.moved = moved.New(c.release.Moved(kind)...)
	in.all = slices.DeleteFunc(laterFieldsOf(kind, c.release), func(f laterField) bool {
		return c.release.HasOn(f.Field) || in.moved.Lacks(f.path[len(f.path)-1].name)
	})
	gone := &fieldTree{}
	for _, path := range in.moved.Hidden() {
		gone.add(parsePath(path))
	}
	for _, f := range in.all {
		in.places.add(f.path)
		if !c.release.Knows(f.Field) {
			in.unknown = append(in.unknown, f)
			gone.add(f.path)
		}
	}
	in.gone = gone.orNil()
	c.kinds.Store(kind, in)
	return in
}

// hubOf returns the version in which the rules of a kind are written.
func (t *Types) hubOf(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	if s := t.versionOf(gvk); s != nil {
		return s.Hub
	}
	return gvk
}

// missing returns the fields of the types that a kind does not have in the release.
func (t *Types) missing(kind schema.GroupVersionKind) fieldTrees {
	return fieldTrees{t.absent.in(kind), t.later.in(t.hubOf(kind).GroupKind()).gone}
}

// withoutLater removes the fields that the release does not know from a body. It moves those that the release has in
// another place than the types, and those that the types do not have. unknown is what strict decoding reports about the
// fields that do not exist. wrong is the first value of a wrong type in a field that has moved.
func (t *Types) withoutLater(data []byte, kind schema.GroupVersionKind) (rest []byte, unknown []error, wrong *misplaced) {
	movedFields, missing := t.MovedIn(kind), t.missing(kind)
	if !movedFields.MayBeIn(data) && !missing.mayBeIn(data) {
		return data, nil, nil
	}
	tree, err := moved.Tree(data)
	if err != nil {
		return data, nil, nil // decoding reports what is wrong with it
	}
	paths := missing.removeFrom(tree)
	withinFormer, mismatches, hasFormer := rules.ReadFormer(tree, movedFields)
	wrong = firstMisplaced(append(mismatches, movedFields.Mismatches(tree, kind.Version)...), data)
	others, found := movedFields.ToTypes(tree)
	if paths = slices.Concat(paths, withinFormer, others); len(paths) == 0 && !found && !hasFormer {
		return data, nil, nil
	}
	for _, path := range inOrder(paths, data) {
		unknown = append(unknown, fmt.Errorf("unknown field %q", path))
	}
	if rest, err = json.Marshal(tree); err != nil {
		panic("objects: what was JSON is none: " + err.Error())
	}
	return rest, unknown, wrong
}

// A misplaced value has a type that its field does not have. It starts after this offset in the JSON.
type misplaced struct {
	moved.Mismatch
	offset int64
}

// firstMisplaced returns the first of some values in the JSON, or nil if there are none.
func firstMisplaced(values []moved.Mismatch, data []byte) *misplaced {
	if len(values) == 0 {
		return nil
	}
	offsets := fieldOffsets(data)
	first := slices.MinFunc(values, func(a, b moved.Mismatch) int { return cmp.Compare(offsets[a.Path], offsets[b.Path]) })
	return &misplaced{first, offsets[first.Path]}
}

// inOrder sorts paths of fields by their places in the JSON, which is the order in which strict decoding reports them.
func inOrder(paths []string, data []byte) []string {
	if len(paths) < 2 {
		return paths
	}
	offsets := fieldOffsets(data)
	return slices.SortedStableFunc(slices.Values(paths), func(a, b string) int { return cmp.Compare(offsets[a], offsets[b]) })
}

// fieldOffsets returns where the names of all fields end in the JSON, by the paths of the fields.
func fieldOffsets(data []byte) map[string]int64 {
	offsets := map[string]int64{}
	d := json.NewDecoder(bytes.NewReader(data))
	var walk func(at string)
	walk = func(at string) {
		token, err := d.Token()
		delimiter, ok := token.(json.Delim)
		if err != nil || !ok {
			return
		}
		for i := 0; d.More(); i++ {
			next := fmt.Sprintf("%s[%d]", at, i)
			if delimiter == '{' {
				key, err := d.Token()
				if err != nil {
					return
				}
				next = strings.TrimPrefix(fmt.Sprintf("%s.%s", at, key), ".")
				offsets[next] = d.InputOffset()
			}
			walk(next)
		}
		_, _ = d.Token() // the closing bracket
	}
	walk("")
	return offsets
}

// like defaults or prepares an object as a release does that lacks some fields. Fields that it does not know are not set
// afterwards; fields without a default in it are only set if they were set before. old is the replaced object, or nil.
func (k *typed) like(obj, old runtime.Object, w rules.Write, drops bool, change func() runtime.Object) runtime.Object {
	later := k.later()
	c := &k.types.later
	if !c.anySet(obj, later) && !c.anySet(old, later) {
		obj = change()
		c.walk(reflect.ValueOf(obj), later.places, true)
		return obj
	}
	var unset, uncounted []laterField
	for _, f := range later.all {
		known := c.release.Knows(f.Field)
		before := obj
		if drops && f.IsNew() && !(f.Lax && old != nil) { // fields that existed from the start may always be set
			before = old
		}
		isSet := before != nil && c.isSet(before, f.path) || old != nil && c.inUse(old, f)
		if !known || !isSet {
			unset = append(unset, f)
			if known && f.Gate() != "" && c.isSet(obj, f.path) {
				w.Drops(f.Name(), f.Gate())
			}
			if !known || !k.hub.CountsDropped() {
				uncounted = append(uncounted, f)
			}
		}
	}
	c.drop(obj, uncounted) // also before the change, which compares: a dropped field is no change of the object
	obj = change()
	c.drop(obj, unset)
	return obj
}

func (c *laterFields) drop(obj runtime.Object, fields []laterField) {
	for _, f := range fields {
		c.visit(reflect.ValueOf(obj), f.path, reflect.Value.SetZero)
	}
}

// anySet reports whether an object has any of the fields; obj may be nil.
func (c *laterFields) anySet(obj runtime.Object, fields *laterInKind) bool {
	return obj != nil && c.walk(reflect.ValueOf(obj), fields.places, false)
}

// A pathNode is a step on the path to some fields, with the steps after it.
type pathNode struct {
	step
	last bool
	next []*pathNode
}

func (p *pathNode) add(path []step) {
	i := slices.IndexFunc(p.next, func(n *pathNode) bool { return n.step == path[0] })
	if i < 0 {
		i = len(p.next)
		p.next = append(p.next, &pathNode{step: path[0]})
	}
	if len(path) == 1 {
		p.next[i].last = true
		return
	}
	p.next[i].add(path[1:])
}

// walk reports whether any field below a node is set. With drops, it also clears these fields. It allocates nothing, since
// nearly all objects have none of the fields.
func (c *laterFields) walk(v reflect.Value, at *pathNode, drops bool) (found bool) {
	if len(at.next) == 0 {
		return false
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return false
		}
		v = v.Elem()
	}
	for _, p := range at.next {
		switch v.Kind() {
		case reflect.Slice:
			for i := 0; i < v.Len() && p.items; i++ {
				if c.walk(v.Index(i), p, drops) {
					found = true
				}
			}
		case reflect.Map:
			found = c.walkEntry(v, p, drops) || found
		case reflect.Struct:
			f, ok := c.fieldNamed(v, p.name)
			switch {
			case !ok || p.items || f.IsZero():
				continue
			case p.last && drops:
				f.SetZero()
				found = true
			case p.last || c.walk(f, p, drops):
				found = true
			}
		}
		if found && !drops {
			return true
		}
	}
	return found
}

// walkEntry is walk for a last step into a map of strings.
func (c *laterFields) walkEntry(v reflect.Value, p *pathNode, drops bool) bool {
	labels, ok := v.Interface().(map[string]string)
	if _, has := labels[p.name]; !ok || !has {
		return false
	}
	if drops {
		delete(labels, p.name)
	}
	return true
}

// inUse reports whether an object has a field, or one beside it.
func (c *laterFields) inUse(obj runtime.Object, f laterField) bool {
	return c.isSet(obj, f.path) || slices.ContainsFunc(f.beside, func(path []step) bool { return c.isSet(obj, path) })
}

func (c *laterFields) isSet(obj runtime.Object, path []step) (set bool) {
	c.visit(reflect.ValueOf(obj), path, func(v reflect.Value) { set = set || !v.IsZero() })
	return set
}

// visit calls do with every existing value at a path.
func (c *laterFields) visit(v reflect.Value, path []step, do func(reflect.Value)) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if len(path) == 0 {
		return
	}
	next, last := path[0], len(path) == 1
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			if next.items && !last {
				c.visit(v.Index(i), path[1:], do)
			}
		}
	case reflect.Map:
		visitEntry(v, next.name, do)
	case reflect.Struct:
		f, ok := c.fieldNamed(v, next.name)
		switch {
		case !ok || next.items:
		case last:
			do(f)
		default:
			c.visit(f, path[1:], do)
		}
	}
}

// visitEntry is visit for a last step into a map of strings, such as labels. An entry that do clears is removed.
func visitEntry(v reflect.Value, name string, do func(reflect.Value)) {
	key := reflect.ValueOf(name)
	entry := v.MapIndex(key)
	if !entry.IsValid() {
		return
	}
	value := reflect.New(entry.Type()).Elem()
	value.Set(entry)
	if do(value); value.IsZero() {
		v.SetMapIndex(key, reflect.Value{})
	}
}

// fieldNamed returns the field with this name in JSON.
func (c *laterFields) fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	known, ok := c.indexes.Load(v.Type())
	if !ok {
		indexes := map[string][]int{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" {
				indexes[tag] = f.Index
			}
		}
		known, _ = c.indexes.LoadOrStore(v.Type(), indexes)
	}
	index, ok := known.(map[string][]int)[name]
	if !ok {
		return reflect.Value{}, false
	}
	if len(index) == 1 {
		return v.Field(index[0]), true
	}
	f, err := v.FieldByIndexErr(index)
	return f, err == nil
}
