// Package jsonpointer reads and writes the tokens of JSON pointers (RFC 6901), and follows pointers in decoded JSON
// ([Lookup]). Other kinds of trees do that in their own way.
package jsonpointer

import (
	"strconv"
	"strings"
)

var unescaper, escaper = strings.NewReplacer("~1", "/", "~0", "~"), strings.NewReplacer("~", "~0", "/", "~1")

// Escape returns the token for a key.
func Escape(key string) string { return escaper.Replace(key) }

// Unescape returns the key for a token.
func Unescape(token string) string { return unescaper.Replace(token) }

// Keys returns the keys and indices on the path of a pointer, or none if the pointer is empty.
func Keys(pointer string) []string {
	if pointer == "" {
		return nil
	}
	keys := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range keys {
		keys[i] = Unescape(token)
	}
	return keys
}

// Lookup returns the value that a pointer leads to in decoded JSON.
func Lookup(v any, pointer string) (_ any, found bool) {
	for _, key := range Keys(pointer) {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}
