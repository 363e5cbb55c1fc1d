// Package jsonpointer reads and writes the tokens of JSON pointers (RFC 6901). It does not resolve pointers: each kind
// of tree does that in its own way.
package jsonpointer

import "strings"

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
