package backends

import "testing"

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		earlier, later string
		want           bool
	}{
		{"a.shop.example", "a.shop.example", true},
		{"a.shop.example", "b.shop.example", false},
		{"*", "a.shop.example", true},
		{"*", "shop/*", true},
		{"*.shop.example", "a.shop.example", true},
		{"*.shop.example", "shop/a.shop.example", true},
		{"a.shop.example", "shop/a.shop.example", true},
		{"shop/a.shop.example", "a.shop.example", false}, // of another configuration
		{"*/a.shop.example", "a.shop.example", true},
		{"shop/*", "shop/a.shop.example", true},
		{"shop/*", "bakery/a.shop.example", false},
		{"a.shop.example", "*.shop.example", false},
		{"a.shop.example", "*", false},
	} {
		if got := covers(tt.earlier, tt.later); got != tt.want {
			t.Errorf("covers(%q, %q) = %t, want %t", tt.earlier, tt.later, got, tt.want)
		}
	}
}
