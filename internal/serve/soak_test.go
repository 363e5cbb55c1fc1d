package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/simulator"
)

// make soak-serve sets it to a minute.
var soak = flag.Duration("soak", 0, "how long clients write and watch in TestSoak; 0: with fewer clients, for a second")

// Clients write as fast as watches can follow. Every watch sees each write once, in version order, and no goroutine is
// left in the end.
func TestSoak(t *testing.T) {
	watches, writers, last := 1000, 64, *soak
	if last == 0 {
		watches, writers, last = 60, 16, time.Second
	}
	before := runtime.NumGoroutine()
	t.Run("clients", func(t *testing.T) { soakWith(t, watches, writers, last) })
	http.DefaultClient.CloseIdleConnections()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// history is how many writes a watch may lag behind.
const history = 10_000

func soakWith(t *testing.T, watches, writers int, last time.Duration) {
	s := newServerWith(t, simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap())}, store.Options{History: history}, serve.Options{Watches: watches})
	from := s.create("first", "").field("metadata", "resourceVersion").(string)
	start, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	all := make([]*follower, watches)
	var watching sync.WaitGroup
	for i := range all {
		all[i] = &follower{state: map[string]string{}}
		all[i].at.Store(start)
		watching.Go(func() { all[i].err = all[i].follow(ctx, s.url+maps+"?watch=1&resourceVersion="+from) })
	}
	slowest := func() (at int64) {
		at = all[0].at.Load()
		for _, f := range all[1:] {
			at = min(at, f.at.Load())
		}
		return at
	}
	var written atomic.Int64
	var writing sync.WaitGroup
	end := time.Now().Add(last)
	for w := range writers {
		writing.Go(func() {
			for i := 0; time.Now().Before(end) && ctx.Err() == nil; i++ {
				path := fmt.Sprintf("%s/w%d-%d", maps, w, i)
				s.create(fmt.Sprintf("w%d-%d", w, i), "")
				s.do("PATCH", path, `{"data":{"x":"y"}}`, "Content-Type", "application/merge-patch+json")
				s.do("DELETE", path, "")
				written.Add(3)
				for start+written.Load()-slowest() > history/2 && ctx.Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	writing.Wait()
	for wait := time.Now().Add(time.Minute); slowest() < start+written.Load() && time.Now().Before(wait); {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	watching.Wait()
	for i, f := range all {
		switch {
		case f.err != nil:
			t.Fatalf("watch %d: %v", i, f.err)
		case f.seen != written.Load():
			t.Fatalf("watch %d saw %d of %d events", i, f.seen, written.Load())
		}
	}
	t.Logf("%d watches saw the %d writes of %d clients in %v: %.0f events a second", watches, written.Load(), writers, last, float64(written.Load())*float64(watches)/last.Seconds())
}

// A follower reads a watch and checks its events.
type follower struct {
	at    atomic.Int64 // the last version that it has seen
	seen  int64
	state map[string]string // the last event of each existing object
	err   error
}

// follow reads events until ctx is done.
func (f *follower) follow(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer secret")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("at %d: %w", f.at.Load(), err)
		}
		if err := f.event(line); err != nil {
			return err
		}
	}
}

// event checks an event: its version is the next one, and it is consistent with the previous event of the same object.
func (f *follower) event(line []byte) error {
	kind, name := valueOf(line, `"type":"`), valueOf(line, `"name":"`)
	version, err := strconv.ParseInt(valueOf(line, `"resourceVersion":"`), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %s", err, line)
	}
	if want := f.at.Load() + 1; version != want {
		return fmt.Errorf("%s %s has version %d, want %d", kind, name, version, want)
	}
	if want := map[string]string{"": "ADDED", "ADDED": "MODIFIED", "MODIFIED": "DELETED"}[f.state[name]]; kind != want {
		return fmt.Errorf("%s %s after %q", kind, name, f.state[name])
	}
	if f.state[name] = kind; kind == "DELETED" {
		delete(f.state, name)
	}
	f.seen++
	f.at.Store(version)
	return nil
}

// valueOf returns the text between a key and the next quote.
func valueOf(line []byte, key string) string {
	_, rest, _ := bytes.Cut(line, []byte(key))
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}
