// Package gocmp writes the difference between two values as cmp.Diff of github.com/google/go-cmp does. The values need
// no Go types: they are described by a [Value], with the names that are to be printed. Start with [Diff].
//
// The layout is that of go-cmp 0.5.8 to 0.7.0 (google/go-cmp:cmp/report_compare.go, report_reflect.go,
// report_slices.go, report_text.go). Where go-cmp draws lots when a process starts, Diff always takes the
// same side: it indents with usual spaces, and looks for equal elements from the front. Two things that go-cmp only
// prints to tell apart values that look the same are left out: addresses and the import paths of types. There are no
// interfaces, arrays, byte slices, transformers or cycles.
package gocmp

// A Kind says what a value consists of.
type Kind int

const (
	Plain   Kind = iota // a number or boolean, written as in its Text
	String              // a string, which is its Text
	Struct              // its members are the fields, in their order
	Slice               // its members are the elements
	Map                 // its members are the entries, sorted by their keys, which are strings
	Pointer             // its only member is what it points to
)

// A Value is a Go value to compare.
type Value struct {
	Kind    Kind
	Type    string // as Go prints it: core.PodSpec
	Text    string
	Nil     bool // of slices, maps and pointers
	Members []Member

	// StringerKeys says that the keys of a map have a method String, which returns them.
	StringerKeys bool
	// Stringer is the value's own method String, or nil.
	Stringer func() string
	// Equal is the value's own method Equal, or nil. It gets the Origin of the other value.
	Equal  func(other any) bool
	Origin any
}

// A Member is a part of a value. Key is the name of a field or the key of an entry.
type Member struct {
	Key   string
	Value *Value
}

// Diff returns the difference between two values that have members. It is empty if they are equal.
func Diff(x, y *Value) string { return options{}.difference(x, y) }

// WholeDiff is Diff in the layout of go-cmp up to 0.4.0, which shortens nothing: what is equal and shown is shown with all
// of its parts and types.
func WholeDiff(x, y *Value) string { return options{whole: true}.difference(x, y) }

func (o options) difference(x, y *Value) string {
	n := compare(x, y)
	if n.differs == 0 {
		return ""
	}
	t := o.diff(n)
	_, t = t.compact(nil, unknown)
	return string(t.expand([]byte("  "), unknown, 0)) + "\n"
}

func (v *Value) isZero() bool {
	switch v.Kind {
	case Plain:
		return v.Text == "0" || v.Text == "false" || v.Text == ""
	case String:
		return v.Text == ""
	case Struct:
		for _, m := range v.Members {
			if !m.Value.isZero() {
				return false
			}
		}
		return true
	}
	return v.Nil
}
