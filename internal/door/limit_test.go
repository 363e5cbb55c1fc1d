package door

import (
	"net"
	"testing"
	"time"
)

// A client beyond the limit waits until another one has disconnected.
func TestLimited(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimited(inner, 1)
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	for range 2 {
		c, err := (&net.Dialer{}).Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	select {
	case <-accepted:
		t.Error("there was room for a second client")
	case <-time.After(50 * time.Millisecond):
	}
	_ = first.Close()
	_ = first.Close() // which must not release a second slot
	second := <-accepted
	if len(l.open) > 1 {
		t.Errorf("%d slots are taken", len(l.open))
	}
	_ = l.Close()
	if err := <-ended; err == nil {
		t.Error("a closed listener accepts")
	}
	_ = second.Close()
}
