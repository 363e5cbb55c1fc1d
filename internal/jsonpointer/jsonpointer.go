// Package jsonpointer reads and writes the tokens of JSON pointers (RFC 6901). What a pointer leads to is another question,
// which each tree answers in its own way.
package jsonpointer

import "strings"

var unescaper, escaper = strings.NewReplacer("~1", "/", "~0", "~"), strings.NewReplacer("~", "~0", "/", "~1")

// Escape returns the token that stands for a key.
func Escape(key string) string { return escaper.Replace(key) }

// Unescape returns the key that a token stands for.
func Unescape(token string) string { return unescaper.Replace(token) }

// Keys returns the keys and indices on the way that a pointer leads, none if it is empty.
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
