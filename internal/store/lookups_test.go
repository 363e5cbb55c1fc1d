package store

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/trace"
)

// What the server remembers, it does not ask itself again, until the time is over. It forgets what has expired.
func TestLookups(t *testing.T) {
	list := func(namespace string) trace.Sent {
		return trace.Sent{Verb: "list", Resource: schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}, Namespace: namespace, Remembered: 30 * time.Second}
	}
	get := trace.Sent{Verb: "get", Name: "shop"}
	l, now := &lookups{}, time.Unix(0, 0)
	for _, tt := range []struct {
		reason string
		after  time.Duration
		all    []trace.Sent
		want   int
	}{
		{"the first time", 0, []trace.Sent{list("a"), get, list("a")}, 2},
		{"not remembered", time.Second, []trace.Sent{get, get}, 2},
		{"of another namespace", time.Second, []trace.Sent{list("a"), list("b")}, 1},
		{"still known", 28 * time.Second, []trace.Sent{list("a"), list("b")}, 0},
		{"expired", time.Second, []trace.Sent{list("a"), list("b")}, 1},
	} {
		now = now.Add(tt.after)
		if got := l.send(tt.all, now); len(got) != tt.want {
			t.Errorf("%s: the server sends %d requests, want %d: %v", tt.reason, len(got), tt.want, got)
		}
	}
	now = now.Add(time.Minute)
	for i := range 1000 {
		now = now.Add(time.Second)
		l.send([]trace.Sent{list(strconv.Itoa(i))}, now)
	}
	if len(l.until) > 200 {
		t.Errorf("the server remembers %d answers, of which 31 have not expired", len(l.until))
	}
}
