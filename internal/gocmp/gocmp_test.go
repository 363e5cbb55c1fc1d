package gocmp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	_ "unsafe" // for go:linkname

	"github.com/google/go-cmp/cmp"
)

// deterministic makes go-cmp take the side that this package takes.
//
//go:linkname deterministic github.com/google/go-cmp/cmp/internal/flags.Deterministic
var deterministic bool

type (
	root struct {
		Name     string
		Count    int64
		On       bool
		Child    *child
		Children []child
		Inline   child
		Words    []string
		Numbers  []int64
		Labels   map[string]string
		Sizes    map[name]size
		Size     *size
		Late     string
	}
	child struct {
		Name       string
		A, B, C, D *string
		Pointer    *child
		Children   []child
		Labels     map[string]child
		Kind       name
		Size       size
	}
	name string
	size struct {
		Value int
		Text  string
	}
)

func (n name) String() string        { return string(n) }
func (s size) Equal(other size) bool { return s.Value == other.Value }

// valueOf describes a Go value.
func valueOf(v reflect.Value) *Value {
	is := &Value{Type: v.Type().String()}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		is.Stringer = s.String
	}
	if s, ok := v.Interface().(size); ok {
		is.Equal, is.Origin = func(other any) bool { return s.Equal(other.(size)) }, s
	}
	switch v.Kind() {
	case reflect.String:
		is.Kind, is.Text = String, v.String()
	case reflect.Struct:
		is.Kind = Struct
		for i := range v.NumField() {
			is.Members = append(is.Members, Member{v.Type().Field(i).Name, valueOf(v.Field(i))})
		}
	case reflect.Slice:
		is.Kind, is.Nil = Slice, v.IsNil()
		for i := range v.Len() {
			is.Members = append(is.Members, Member{Value: valueOf(v.Index(i))})
		}
	case reflect.Map:
		is.Kind, is.Nil, is.StringerKeys = Map, v.IsNil(), v.Type().Key() == reflect.TypeFor[name]()
		for _, k := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			is.Members = append(is.Members, Member{k.String(), valueOf(v.MapIndex(k))})
		}
	case reflect.Pointer:
		is.Kind, is.Nil = Pointer, v.IsNil()
		if !is.Nil {
			is.Members = []Member{{Value: valueOf(v.Elem())}}
		}
	default:
		is.Text = fmt.Sprint(v.Interface())
	}
	return is
}

// A source draws values.
type source struct{ *rand.Rand }

func (s source) fill(v reflect.Value, depth int) {
	if s.IntN(3) == 0 {
		v.SetZero()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s.text())
	case reflect.Int, reflect.Int64:
		v.SetInt(s.Int64N(4))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			s.fill(v.Field(i), depth+1)
		}
	case reflect.Slice:
		n := s.length(depth)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			s.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range s.length(depth) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.SetString(fmt.Sprint("k", s.IntN(9)))
			s.fill(e, depth+1)
			v.SetMapIndex(k, e)
		}
	case reflect.Pointer:
		if depth < 4 {
			v.Set(reflect.New(v.Type().Elem()))
			s.fill(v.Elem(), depth+1)
		}
	}
}

func (s source) length(depth int) int {
	switch {
	case depth > 3:
		return s.IntN(2)
	case s.IntN(8) == 0:
		return 30 + s.IntN(20)
	}
	return s.IntN(6)
}

func (s source) text() string {
	words := []string{"a", "b", "nginx", "\"", "`", "\n", "\n", " ", "\t", "é", "\x00", "\"\"\"", "...", "a longer word ", "\r\n"}
	n := s.IntN(3)
	switch s.IntN(5) {
	case 0:
		n = s.IntN(40)
	case 1:
		n, words = s.IntN(100), words[:2]
	case 2:
		n, words = s.IntN(40), append(words[:3], "\n")
	case 3:
		return strings.Repeat(words[s.IntN(len(words))], s.IntN(400))
	}
	var b strings.Builder
	for range n {
		b.WriteString(words[s.IntN(len(words))])
	}
	return b.String()
}

// change changes some parts of a value.
func (s source) change(v reflect.Value, depth int) {
	switch {
	case s.IntN(12) == 0:
		s.fill(v, depth)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			s.change(v.Field(i), depth+1)
		}
	case v.Kind() == reflect.Slice && v.Len() > 0:
		for i := range v.Len() {
			s.change(v.Index(i), depth+1)
		}
		for s.IntN(2) == 0 && v.Len() > 0 {
			i := s.IntN(v.Len())
			v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len())))
		}
		for s.IntN(2) == 0 && v.Len() > 0 {
			i := s.IntN(v.Len())
			added := reflect.MakeSlice(v.Type(), 1, 1)
			s.fill(added.Index(0), depth+1)
			v.Set(reflect.AppendSlice(reflect.AppendSlice(v.Slice3(0, i, i), added), v.Slice(i, v.Len())))
		}
	case v.Kind() == reflect.String && v.Len() > 0:
		i := s.IntN(v.Len())
		v.SetString(v.String()[:i] + s.text() + v.String()[i:])
	case v.Kind() == reflect.Pointer && !v.IsNil():
		s.change(v.Elem(), depth+1)
	}
}

// pair returns a value and a changed copy of it.
func pair(seed uint64) (x, y root) {
	source{rand.New(rand.NewPCG(seed, 1))}.fill(reflect.ValueOf(&x).Elem(), 0)
	s := source{rand.New(rand.NewPCG(seed, 1))}
	s.fill(reflect.ValueOf(&y).Elem(), 0)
	s.change(reflect.ValueOf(&y).Elem(), 0)
	return x, y
}

// TestDiff compares differences with those of go-cmp.
func TestDiff(t *testing.T) {
	deterministic = true
	defer func() { deterministic = false }()
	for seed := range uint64(300) {
		x, y := pair(seed)
		want := cmp.Diff(&x, &y)
		if strings.Contains(want, "⟪") { // an address
			continue
		}
		if got := V0_5_9.Diff(valueOf(reflect.ValueOf(&x)), valueOf(reflect.ValueOf(&y))); got != want {
			t.Fatalf("seed %d: Diff is\n%s\ngo-cmp writes\n%s", seed, got, want)
		}
	}
}

// The files in testdata are named after a version of go-cmp and a seed. They have what that version wrote: TestDiff was run
// with the older module, and agreed for 2,000 seeds.
func TestVersions(t *testing.T) {
	versions := map[string]Version{"0.3.0": V0_3_0, "0.4.0": V0_4_0, "0.5.2": V0_5_2, "0.5.5": V0_5_5, "0.5.8": V0_5_8}
	for name, version := range versions {
		files, err := filepath.Glob("testdata/" + name + "-*.txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("no difference by go-cmp %s: %v", name, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				digits := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), name+"-"), ".txt")
				seed, err := strconv.ParseUint(digits, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				x, y := pair(seed)
				if got := version.Diff(valueOf(reflect.ValueOf(&x)), valueOf(reflect.ValueOf(&y))); got != string(want) {
					t.Errorf("seed %d: Diff is\n%s\ngo-cmp wrote\n%s", seed, got, want)
				}
			})
		}
	}
}
