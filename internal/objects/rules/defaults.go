package rules

// SetDefault sets an optional field that is not set.
func SetDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// SetZero sets a field that has its type's zero value.
func SetZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func IsTrue(b *bool) bool { return b != nil && *b }

func With[V any, K comparable](m map[K]V, key K, value V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}

// Without deletes keys of a map, and returns nil if nothing is left of it.
func Without[V any, K comparable](m map[K]V, keys ...K) map[K]V {
	for _, key := range keys {
		delete(m, key)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}
