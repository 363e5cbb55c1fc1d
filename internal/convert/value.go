package convert

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// at returns the value at the keys below v, nil if there is none.
func at(v any, keys ...string) any {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func text(v any, keys ...string) string {
	s, _ := at(v, keys...).(string)
	return s
}

func list(v any, keys ...string) []any {
	l, _ := at(v, keys...).([]any)
	return l
}

func texts(v any, keys ...string) (all []string) {
	for _, one := range list(v, keys...) {
		if s, ok := one.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func kindOf(v any) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(text(v, "apiVersion"), text(v, "kind"))
}

// under returns the mapping at a key of m, which is created if there is none.
func under(m map[string]any, key string) map[string]any {
	inner, ok := m[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		m[key] = inner
	}
	return inner
}

// clone returns a deep copy of v.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			m[key] = clone(value)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = clone(v[i])
		}
		return l
	}
	return v
}
