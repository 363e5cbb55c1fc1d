package recorder

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// sendHalf sends the beginning of a call over a new connection, and leaves it unfinished.
func sendHalf(t *testing.T, s server, sent int) *tls.Conn {
	t.Helper()
	c, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", maxBody); err != nil {
		t.Fatal(err)
	}
	_, _ = c.Write(bytes.Repeat([]byte(" "), sent)) // may be refused before all of it is sent
	return c
}

// waitForStatus waits until a call is answered with the given status.
func waitForStatus(t *testing.T, s server, body string, want int) {
	t.Helper()
	got := 0
	for range 1000 {
		if got, _, _ = s.post("/", body); got == want {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("a call is answered with %d, want %d", got, want)
}

// Request bodies that are sent only partly take no more memory than allowed, and the shutdown does not wait for them
// any longer than for other calls under way.
func TestHalfSent(t *testing.T) {
	noLeaks(t)
	const room, drain = 4 << 20, 300 * time.Millisecond
	var written buffer
	s := serve(t, NewLog(&written), Options{Bodies: room, Drain: drain})
	first := sendHalf(t, s, room-1<<20)
	large := small + strings.Repeat(" ", 2<<20)
	for s.recorder.room.Load() > 1<<20 { // otherwise the two compete for memory, and the first may be refused
		time.Sleep(time.Millisecond)
	}
	if status, _, err := s.post("/", large); status != 503 {
		t.Errorf("a body for which there is no room is answered with %d, %v", status, err)
	}
	refused := sendHalf(t, s, 2<<20)
	_ = refused.SetReadDeadline(time.Now().Add(10 * time.Second))
	if answer, err := io.ReadAll(io.LimitReader(refused, 12)); string(answer) != "HTTP/1.1 503" {
		t.Errorf("one body too many is answered with %q, %v", answer, err)
	}
	// Small calls are answered meanwhile.
	if status, _, err := s.post("/", small); status != 200 || err != nil {
		t.Errorf("a call is answered with %d, %v", status, err)
	}
	// A call that was given up releases its memory.
	_ = first.Close()
	waitForStatus(t, s, large, 200)
	sendHalf(t, s, 100)
	began := time.Now()
	counts, err := s.stop()
	if took := time.Since(began); err != nil || took > drain+5*time.Second {
		t.Errorf("stopping took %s, %v", took, err)
	}
	if counts.Recorded < 2 || counts.Shed == 0 {
		t.Errorf("the counts are %+v", counts)
	}
}
