package changes

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCompareFiles(t *testing.T) {
	const before = `package p

import "fmt"

// A comment.
func same(a int) int { return a + 1 }

func (r *REST) Create(name string) error { return fmt.Errorf("no %s", name) }

func gone() {}

const limit = 1
`
	tests := []struct{ reason, after, want string }{
		{"the same file", before, ""},
		{"only comments, imports and the layout differ", `package p

import (
	"fmt"
	"os"
)

// Another comment.
func same(
	a int,
) int {
	return a + 1 // one more
}

func gone() {}

const limit = 1

func (r *REST) Create(name string) error { return fmt.Errorf("no %s", name) }
`, ""},
		{"a method, a constant and functions differ", `package p

import "fmt"

func same(a int) int { return a + 1 }

func (r *REST) Create(name string) error { return fmt.Errorf("never %s", name) }

func fresh() {}

const limit = 2
`, "changed REST.Create, limit; added fresh; removed gone"},
		{"the file is gone", "", "is gone"},
	}
	for _, test := range tests {
		folder := t.TempDir()
		from, to := filepath.Join(folder, "from.go"), filepath.Join(folder, "to.go")
		for name, text := range map[string]string{from: before, to: test.after} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := CompareFiles(from, to)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != test.want {
			t.Errorf("%s: CompareFiles = %q, want %q", test.reason, got, test.want)
		}
	}
}
