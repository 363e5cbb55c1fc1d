package performance

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// BenchmarkLoad creates a world from n manifests, and reports the memory that it retains.
func BenchmarkLoad(b *testing.B) {
	for _, of := range []struct {
		name string
		text func(n int) []byte
	}{{"configurations", Configurations}, {"ConfigMaps", settings}} {
		for _, n := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s=%d", of.name, n), func(b *testing.B) {
				text := of.text(n)
				b.ReportAllocs()
				for b.Loop() {
					load(b, text)
				}
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				w := load(b, text)
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-kept")
				runtime.KeepAlive(w)
			})
		}
	}
}

// BenchmarkScale is one admission that grows in one dimension at a time.
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("webhooks=%d", n), func(b *testing.B) {
			w, request := load(b, webhooks(n, n)), pod(3)
			for b.Loop() {
				create(b, w, request)
			}
		})
	}
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("containers=%d", n), func(b *testing.B) {
			w, request := load(b, webhooks(1, 1)), pod(n)
			for b.Loop() {
				create(b, w, request)
			}
		})
	}
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("requests=%d", n), func(b *testing.B) {
			w, request := load(b, webhooks(1, 1)), pod(3)
			for b.Loop() {
				for range n {
					create(b, w, request)
				}
			}
		})
	}
	for _, n := range []int{1, 2, 10} { // two or more are also tried in the opposite order
		b.Run(fmt.Sprintf("mutating-policies=%d", n), func(b *testing.B) {
			w, request := load(b, labelPolicies(n)), pod(3)
			for b.Loop() {
				create(b, w, request)
			}
		})
	}
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("unconcerned=%d", n), func(b *testing.B) {
			w, request := load(b, Configurations(n)), pod(3)
			for b.Loop() {
				create(b, w, request)
			}
		})
	}
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("workers=%d", n), func(b *testing.B) {
			const requests = 64
			w, request := load(b, webhooks(1, 1)), pod(3)
			for b.Loop() {
				var workers sync.WaitGroup
				for range n {
					workers.Go(func() {
						for range requests / n {
							create(b, w, request)
						}
					})
				}
				workers.Wait()
			}
		})
	}
}
