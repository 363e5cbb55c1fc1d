package dispatch

import (
	"fmt"
	"testing"
)

func BenchmarkCall(b *testing.B) {
	for _, bench := range []struct {
		name   string
		answer Answer
	}{
		{"answer=allow", Answer{}},
		{"answer=patch", Answer{Patch: []byte(`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`)}},
		{"answer=hang", Answer{Fault: Hang}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m, err := NewMock(nil, bench.answer)
			if err != nil {
				b.Fatal(err)
			}
			d, h, r := New(counter()), mutatingHook(m), reviewOf(podRequest())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Call(b.Context(), h, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCallAll(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("hooks=%d", n), func(b *testing.B) {
			m, err := NewMock(nil, Answer{})
			if err != nil {
				b.Fatal(err)
			}
			d, r := New(counter()), reviewOf(podRequest())
			hooks, reviews := make([]Hook, n), make([]*Review, n)
			for i := range n {
				hooks[i], reviews[i] = validatingHook(m), r
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.CallAll(b.Context(), hooks, reviews); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
