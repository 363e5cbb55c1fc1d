//go:build go1.21

package recorder

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"unsafe"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// A sight is what can be seen from a plugin.
type sight struct {
	listed, stored []json.RawMessage
	settings       map[string]json.RawMessage
	reads          []read           // what clients were asked that answer otherwise than from their objects
	writes         []testing.Action // what clients were asked to change
	lost           string

	visited map[uintptr]bool
}

// lookAt looks at the fields of a plugin, and of the structs that it consists of: at listers and fake clients for objects
// of the cluster, at others for settings.
func lookAt(receiver interface{}) *sight {
	s := &sight{settings: map[string]json.RawMessage{}, visited: map[uintptr]bool{}}
	s.look(receiver, "")
	s.listed, s.stored = sorted(s.listed), sorted(s.stored)
	return s
}

func (s *sight) look(at interface{}, path string) {
	if v := reflect.ValueOf(at); v.Kind() == reflect.Ptr {
		if s.visited[v.Pointer()] {
			return
		}
		s.visited[v.Pointer()] = true
	}
	eachField(at, func(name string, f reflect.Value) {
		name = path + name
		switch f.Kind() {
		case reflect.Interface, reflect.Ptr:
			if f.IsNil() {
				return
			}
		}
		value := f.Interface()
		if s.list(value) || s.tracked(value) {
			return
		}
		text, ok := setting(f)
		if !ok {
			text, ok = cloudOf(value)
		}
		if ok {
			s.settings[name] = text
			return
		}
		if f.Kind() == reflect.Interface {
			f = reflect.ValueOf(value)
		}
		if f.Kind() == reflect.Ptr && f.Elem().Kind() == reflect.Struct && aboutPlugins(f.Elem().Type().PkgPath()) {
			s.look(value, name+".")
		}
	})
}

// aboutPlugins reports whether a package has the code of plugins.
func aboutPlugins(path string) bool {
	return strings.Contains(path, "/plugin/pkg/admission/") || strings.Contains(path, "/pkg/admission/plugin/") ||
		strings.Contains(path, "/pod-security-admission/admission")
}

// setting returns a value that configures a plugin.
func setting(f reflect.Value) (json.RawMessage, bool) {
	of := f.Type()
	switch of.Kind() {
	case reflect.Ptr:
		of = of.Elem()
		if of.Kind() != reflect.Struct || !strings.HasSuffix(of.Name(), "Configuration") {
			return nil, false
		}
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.String:
	case reflect.Slice, reflect.Map:
		if kind := of.Elem().Kind(); kind != reflect.String && kind != reflect.Struct {
			return nil, false
		}
	case reflect.Struct:
		if !strings.Contains(of.PkgPath(), "/apis/") {
			return nil, false
		}
	default:
		return nil, false
	}
	text, err := json.Marshal(f.Interface())
	return text, err == nil
}

// list lists the objects of a lister. It reports whether the value is one.
func (s *sight) list(value interface{}) (is bool) {
	list := reflect.ValueOf(value).MethodByName("List")
	if !list.IsValid() || list.Type().NumIn() != 1 || list.Type().NumOut() != 2 || list.Type().Out(0).Kind() != reflect.Slice {
		return false
	}
	if list.Type().In(0) != reflect.TypeOf((*labels.Selector)(nil)).Elem() {
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			s.lost = fmt.Sprintf("a lister of the test cannot list: %v", p)
		}
	}()
	objects := list.Call([]reflect.Value{reflect.ValueOf(labels.Everything())})[0]
	for i := 0; i < objects.Len(); i++ {
		if object, ok := objects.Index(i).Interface().(runtime.Object); ok {
			s.add(&s.listed, object)
		}
	}
	return true
}

// tracked adds the objects of a fake client, and what it was asked if the test added answers of its own. It reports
// whether the value is one.
func (s *sight) tracked(value interface{}) bool {
	client := clientOf(reflect.ValueOf(value), 3)
	if client == nil {
		return false
	}
	own := 0 // number of the reactions that answer from the objects which can be seen
	if all, ok := value.(*fake.Clientset); ok {
		if tracker := all.Tracker(); tracker != nil {
			s.walk(reflect.ValueOf(tracker))
			own = 1
		}
	}
	for _, action := range client.Actions() {
		switch verb := action.GetVerb(); {
		case verb != "get" && verb != "list" && verb != "watch":
			s.writes = append(s.writes, action)
		// The caches are filled with lists of all namespaces.
		case len(client.ReactionChain) > own && (verb == "get" || action.GetNamespace() != "") && verb != "watch":
			s.reads = append(s.reads, read{client, action})
		}
	}
	return true
}

// clientOf returns the fake client that a value is, or that a client for a group or a resource belongs to.
func clientOf(v reflect.Value, depth int) *testing.Fake {
	if client, ok := v.Interface().(*testing.Fake); ok {
		return client
	}
	if v = concrete(v); depth == 0 || v.Kind() != reflect.Struct || !strings.HasPrefix(v.Type().PkgPath(), "k8s.io/client-go/") {
		return nil
	}
	f, ok := fieldIn(v, "Fake")
	if !ok {
		return nil
	}
	if client, ok := f.Addr().Interface().(*testing.Fake); ok {
		return client
	}
	return clientOf(f, depth-1)
}

// A read is a question to a client.
type read struct {
	client *testing.Fake
	action testing.Action
}

// answered records the answers of clients to a plugin: the test gives them once more.
func (c *call) answered(reads []read) {
	for _, r := range reads {
		object, known := r.again()
		if !known {
			c.Live = true
			return
		}
		if object == nil || isNil(object) {
			continue
		}
		objects := []runtime.Object{object}
		if meta.IsListType(object) {
			var err error
			if objects, err = meta.ExtractList(object); err != nil {
				c.lose(err.Error())
			}
		}
		for _, o := range objects {
			if text := c.encode(o); text != nil {
				c.Stored = append(c.Stored, text)
			}
		}
	}
	c.Stored = sorted(c.Stored)
}

// again returns the answer to a read. It is not known if it was an error other than that there is no such object.
func (r read) again() (object runtime.Object, known bool) {
	for _, reactor := range r.client.ReactionChain {
		if !reactor.Handles(r.action) {
			continue
		}
		handled, object, err := reactor.React(r.action.DeepCopy())
		if apierrors.IsNotFound(err) {
			return nil, true
		}
		if handled {
			return object, err == nil
		}
	}
	return nil, false
}

// wrote records the objects that a plugin created and updated.
func (c *call) wrote(actions []testing.Action) {
	for _, action := range actions {
		of, ok := action.(interface{ GetObject() runtime.Object })
		if !ok {
			c.lose("it asks for a " + action.GetVerb())
			return
		}
		if text := c.encode(of.GetObject()); text != nil {
			c.Written = append(c.Written, text)
		}
	}
	c.Written = sorted(c.Written)
}

// walk adds the objects in the maps of a tracker.
func (s *sight) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		s.walk(v.Elem())
	case reflect.Ptr:
		if v.IsNil() {
			return
		}
		if object, ok := v.Interface().(runtime.Object); ok {
			s.add(&s.stored, object)
			return
		}
		if v.Elem().Kind() == reflect.Struct && strings.HasPrefix(v.Elem().Type().PkgPath(), "k8s.io/client-go/") {
			s.walk(v.Elem())
		}
	case reflect.Struct:
		if v.CanAddr() {
			for i := 0; i < v.NumField(); i++ {
				if lock, ok := field(v, i).Addr().Interface().(*sync.RWMutex); ok {
					lock.RLock()
					defer lock.RUnlock()
				}
			}
		} else { // an entry of a map
			addressable := reflect.New(v.Type()).Elem()
			addressable.Set(v)
			v = addressable
		}
		for i := 0; i < v.NumField(); i++ {
			switch name := v.Type().Field(i).Name; name {
			case "watchers", "scheme", "decoder", "typeConverter":
			default:
				s.walk(field(v, i))
			}
		}
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			s.walk(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			s.walk(v.MapIndex(key))
		}
	}
}

func (s *sight) add(to *[]json.RawMessage, object runtime.Object) {
	text, err := encode(object, "")
	if err != nil {
		s.lost = err.Error()
		return
	}
	*to = append(*to, text)
}

// sorted sorts texts and removes duplicates.
func sorted(texts []json.RawMessage) []json.RawMessage {
	sort.Slice(texts, func(i, j int) bool { return string(texts[i]) < string(texts[j]) })
	var once []json.RawMessage
	for i, text := range texts {
		if i == 0 || string(text) != string(texts[i-1]) {
			once = append(once, text)
		}
	}
	return once
}

// missingIn returns the texts in now that are not in before.
func missingIn(before, now []json.RawMessage) (more []json.RawMessage) {
	known := map[string]bool{}
	for _, text := range before {
		known[string(text)] = true
	}
	for _, text := range now {
		if !known[string(text)] {
			more = append(more, text)
		}
	}
	return more
}

// encode returns an object as JSON in the preferred version of its kind, with its kind. If several groups have it, the
// given one counts, then the first.
func encode(object runtime.Object, group string) (text json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encoding: %v", p)
		}
	}()
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return nil, fmt.Errorf("no scheme has %T", object)
	}
	object = object.DeepCopyObject()
	sort.Slice(kinds, func(i, j int) bool {
		if mine := kinds[i].Group == group; mine != (kinds[j].Group == group) {
			return mine
		}
		return kinds[i].Group < kinds[j].Group
	})
	kind := kinds[0]
	for _, k := range kinds { // options are of every group
		if k.Group == "" && k.Version == "v1" {
			kind = k
		}
	}
	if kind.Version != runtime.APIVersionInternal {
		object.GetObjectKind().SetGroupVersionKind(kind)
		return json.Marshal(object)
	}
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	for _, kind := range kinds {
		for _, gv := range legacyscheme.Scheme.PrioritizedVersionsForGroup(kind.Group) {
			if legacyscheme.Scheme.Recognizes(gv.WithKind(kind.Kind)) {
				return runtime.Encode(legacyscheme.Codecs.LegacyCodec(gv), object)
			}
		}
	}
	return nil, fmt.Errorf("no version has %T", object)
}

// eachField calls do for each field of a struct, or of the struct that a pointer points to, with unexported fields.
func eachField(of interface{}, do func(name string, f reflect.Value)) {
	v := reflect.ValueOf(of)
	if v.Kind() != reflect.Ptr || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return
	}
	v = v.Elem()
	for i := 0; i < v.NumField(); i++ {
		do(v.Type().Field(i).Name, field(v, i))
	}
}

// field returns a field of an addressable struct as if it were exported.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}
