package recorder

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

const callers = 64

// numberedReview returns a review with a uid of its own.
func numberedReview(n uint64) string { return strings.Replace(small, "u1", fmt.Sprintf("u%d", n), 1) }

// storm calls s concurrently until s stops, and returns the reviews that were answered. It closes enough once this
// number reaches many.
func storm(t *testing.T, s server, many int, enough chan<- struct{}) map[string]bool {
	var (
		next     atomic.Uint64
		mutex    sync.Mutex
		answered = map[string]bool{}
		all      sync.WaitGroup
	)
	for range callers {
		all.Go(func() {
			for {
				n := next.Add(1)
				status, answer, err := s.post("/", numberedReview(n))
				if err != nil || status == 503 { // it is stopping
					return
				}
				uid := fmt.Sprintf("u%d", n)
				if !strings.Contains(answer, `"`+uid+`"`) {
					t.Errorf("%s is answered with %s", uid, answer)
				}
				mutex.Lock()
				answered[uid] = true
				if len(answered) == many {
					close(enough)
				}
				mutex.Unlock()
			}
		})
	}
	all.Wait()
	return answered
}

// Every answered call is recorded exactly once, including those under way when the recorder is stopped.
func TestEveryAnswerOnce(t *testing.T) {
	for name, http2 := range map[string]bool{"rec.jsonl": false, "rec.jsonl.zst": true, "rec.jsonl.gz": false} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			path := filepath.Join(t.TempDir(), name)
			l, err := OpenLog(path, Rotation{Size: 64 << 10})
			if err != nil {
				t.Fatal(err)
			}
			s := serve(t, l, Options{})
			s.client.Transport.(*http.Transport).ForceAttemptHTTP2 = http2 // as the API server does
			stopped := make(chan struct{})
			var counts Counts
			enough := make(chan struct{})
			go func() {
				defer close(stopped)
				<-enough
				counts, err = s.stop()
			}()
			answered := storm(t, s, 20*callers, enough)
			<-stopped
			if err != nil || counts.Shed+counts.Failed > 0 {
				t.Fatalf("counts %+v, %v", counts, err)
			}
			seen := map[string]int{}
			ends := 0
			for _, one := range readFiles(t, path) {
				if one.End != nil {
					ends++
					continue
				}
				seen[uidOf(t, one)]++
			}
			if ends != 1 || uint64(len(seen)) != counts.Recorded {
				t.Errorf("%d ends, %d reviews, counted %+v", ends, len(seen), counts)
			}
			for uid := range answered {
				if seen[uid] != 1 {
					t.Errorf("%s is recorded %d times", uid, seen[uid])
				}
			}
		})
	}
}

// A slow writer loses recordings, not answers, and the recorder reports how many were lost.
func TestOverload(t *testing.T) {
	noLeaks(t)
	gate := make(chan struct{})
	slow := &gated{gate: gate}
	var warnings atomic.Int64
	s := serve(t, NewLog(slow), Options{Buffer: 10 * int64(len(small)), Warn: func(text string) {
		if strings.Contains(text, "recording is behind") {
			warnings.Add(1)
		}
	}})
	for n := range uint64(200) {
		if status, _, err := s.post("/", numberedReview(n)); err != nil || status != 200 {
			t.Fatalf("%d, %v", status, err)
		}
	}
	close(gate)
	counts, err := s.stop()
	if err != nil || counts.Recorded+counts.Shed != 200 || counts.Shed < 150 || counts.Recorded == 0 {
		t.Errorf("counts %+v, %v", counts, err)
	}
	if got := warnings.Load(); got != 1 {
		t.Errorf("%d warnings, want one in ten seconds", got)
	}
	lines := readLines(t, &slow.buffer)
	if end := lines[len(lines)-1].End; end == nil || *end != counts {
		t.Errorf("the last line says %v, want %v", end, counts)
	}
}

type gated struct {
	gate <-chan struct{}
	buffer
}

func (g *gated) Write(text []byte) (int, error) {
	<-g.gate
	return g.buffer.Write(text)
}

// A full disk does not prevent answers.
func TestCannotWrite(t *testing.T) {
	noLeaks(t)
	var warned atomic.Value
	s := serve(t, NewLog(full{}), Options{Warn: func(text string) { warned.Store(text) }})
	for n := range uint64(5) {
		if status, _, err := s.post("/", numberedReview(n)); err != nil || status != 200 {
			t.Fatalf("%d, %v", status, err)
		}
	}
	counts, err := s.stop()
	if !errors.Is(err, errFull) || counts != (Counts{Failed: 5}) {
		t.Errorf("counts %+v, %v", counts, err)
	}
	if text, _ := warned.Load().(string); !strings.Contains(text, "nothing is recorded any more") {
		t.Errorf("warned %q", text)
	}
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// A body that is too large is answered by the webhook and not recorded.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("sends a large body")
	}
	var file buffer
	s := serve(t, NewLog(&file), Options{})
	status, _, err := s.post("/", strings.Replace(small, "<b>", strings.Repeat("x", maxBody), 1))
	if err == nil && status != 413 {
		t.Errorf("status %d, want 413", status)
	}
	if counts, err := s.stop(); err != nil || counts != (Counts{Shed: 1}) {
		t.Errorf("counts %+v, %v", counts, err)
	}
}

// A recorder that can no longer listen stops and keeps what it has recorded.
func TestListenerFails(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "rec.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	r := New(NewLog(file), Options{})
	pair := testPair(t)
	if _, err := r.Serve(t.Context(), l, pair); err == nil {
		t.Error("Serve succeeds")
	}
	if _, err := r.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
