package objects

// setDefault sets an optional field that is not set.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// setZero sets a field that has its type's zero value.
func setZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
