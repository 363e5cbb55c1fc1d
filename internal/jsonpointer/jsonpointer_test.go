package jsonpointer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeys(t *testing.T) {
	for pointer, want := range map[string][]string{
		"":                   nil,
		"/":                  {""},
		"/spec/containers/0": {"spec", "containers", "0"},
		"/metadata/labels/app.kubernetes.io~1name": {"metadata", "labels", "app.kubernetes.io/name"},
		"/a~01": {"a~1"},
	} {
		if got := Keys(pointer); !cmp.Equal(got, want) {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, key := range []string{"", "a", "a/b", "~", "~1", "~0/~1", "//~~"} {
		if got := Keys("/" + Escape(key)); len(got) != 1 || got[0] != key {
			t.Errorf("%q becomes %q and then %q", key, Escape(key), got)
		}
	}
}

func TestLookup(t *testing.T) {
	doc := map[string]any{"a/b": []any{"x", map[string]any{"c": nil}}}
	for pointer, want := range map[string]any{"": doc, "/a~1b/0": "x", "/a~1b/1/c": nil} {
		if got, found := Lookup(doc, pointer); !found || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %t, want %v", pointer, got, found, want)
		}
	}
	for _, pointer := range []string{"/a", "/a~1b/2", "/a~1b/-", "/a~1b/-1", "/a~1b/0/x"} {
		if got, found := Lookup(doc, pointer); found {
			t.Errorf("%q leads to %v", pointer, got)
		}
	}
}
