package objects

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/memo"
)

// losses knows what objects of built-in kinds lose in the storage, which has them as protocol buffers (RT-11).
type losses struct {
	structs memo.Map // reflect.Type → *lossyStruct
}

// in reports whether the storage would not keep obj as it is.
func (l *losses) in(obj runtime.Object) bool { return l.find(obj, false) }

// dropFrom makes obj what is read back from the storage.
func (l *losses) dropFrom(obj runtime.Object) { l.find(obj, true) }

func (l *losses) find(obj runtime.Object, drop bool) bool {
	v := reflect.ValueOf(obj).Elem()
	return l.typeFor(v.Type()).find(v, drop)
}

func (l *losses) typeFor(t reflect.Type) *lossyStruct {
	known, ok := l.structs.Load(t)
	if !ok {
		known, _ = l.structs.LoadOrStore(t, &lossyStruct{all: l, goType: t})
	}
	return known.(*lossyStruct)
}

// A lossyStruct knows which fields of a struct can lose something: a third of the fields of a container. They are
// determined when a value is first examined.
type lossyStruct struct {
	all    *losses
	goType reflect.Type
	once   sync.Once
	known  []lossyField
}

type lossyField struct {
	index int
	elem  *lossyStruct // of the struct in, behind or collected by the field; nil if there is none
	lists bool         // it collects lists, or texts of bytes
}

func (s *lossyStruct) fields() []lossyField {
	s.once.Do(func() {
		for i := range s.goType.NumField() {
			if f := s.goType.Field(i); f.IsExported() {
				s.addField(i, f.Type)
			}
		}
	})
	return s.known
}

func (s *lossyStruct) addField(index int, t reflect.Type) {
	f := lossyField{index: index}
	elem := t
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	isCollection := elem.Kind() == reflect.Map || isList(elem)
	if isCollection {
		elem = elem.Elem()
		f.lists = elem.Kind() == reflect.Slice
	}
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if elem.Kind() == reflect.Struct {
		f.elem = s.all.typeFor(elem)
	}
	if isCollection || f.elem != nil {
		s.known = append(s.known, f)
	}
}

// isList reports whether a type is a list. A []byte is a single value.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

// find reports whether anything in v is lost. If drop is set, it drops that.
func (s *lossyStruct) find(v reflect.Value, drop bool) (found bool) {
	for _, f := range s.fields() {
		if f.find(v.Field(f.index), drop) {
			found = true
			if !drop {
				break
			}
		}
	}
	return found
}

// find is like [lossyStruct.find], for the value of a field, or for an item of the field's value.
func (f lossyField) find(v reflect.Value, drop bool) (found bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && f.find(v.Elem(), drop)
	case reflect.Struct:
		return f.elem.find(v, drop)
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return false
		}
		if v.Len() == 0 {
			if drop {
				v.SetZero()
			}
			return true
		}
		if f.lists || f.elem != nil && len(f.elem.fields()) > 0 {
			return f.findInItems(v, drop)
		}
	}
	return false
}

// findInItems is like find, for the items of a list or map.
func (f lossyField) findInItems(v reflect.Value, drop bool) (found bool) {
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			found = f.findInItem(v.Index(i), drop) || found
		}
		return found
	}
	for items := v.MapRange(); items.Next(); {
		item := reflect.New(v.Type().Elem()).Elem()
		item.Set(items.Value())
		if f.findInItem(item, drop) {
			found = true
			if drop {
				v.SetMapIndex(items.Key(), item)
			}
		}
	}
	return found
}

// findInItem is like find, for an item. An item that is a list or bytes may be empty, but not missing.
func (f lossyField) findInItem(item reflect.Value, drop bool) (found bool) {
	if !f.lists {
		return f.find(item, drop)
	}
	if !item.IsNil() {
		return false
	}
	if drop {
		item.Set(reflect.MakeSlice(item.Type(), 0, 0))
	}
	return true
}
