// Package gocmp writes the difference between two values as cmp.Diff of github.com/google/go-cmp does. The values need
// no Go types: they are described by a [Value], with the names that are to be printed. Start with [Diff].
//
// The layout is that of a [Version] (google/go-cmp:cmp/report_compare.go, report_reflect.go, report_slices.go,
// report_text.go). Where go-cmp draws lots when a process starts, Diff always takes the same side: it indents with usual
// spaces, and looks for equal elements from the front. Two things that go-cmp only prints to tell apart values that look
// the same are left out: addresses and the import paths of types. There are no interfaces, arrays, byte slices,
// transformers or cycles.
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

// A Version stands for the versions of go-cmp that lay out differences as it does, up to the next one.
type Version int

const (
	V0_3_0 Version = iota // shows everything that is equal with all of its parts and types, if it shows it
	V0_4_0
	V0_5_2 // shortens what is equal
	V0_5_5
	V0_5_8
	V0_5_9 // up to 0.7.0
)

// Diff returns the difference between two values that have members. It is empty if they are equal.
func (v Version) Diff(x, y *Value) string {
	n := compare(x, y)
	if n.differs == 0 {
		return ""
	}
	t := options{version: v}.diff(n)
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
