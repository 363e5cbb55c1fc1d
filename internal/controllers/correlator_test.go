package controllers

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Up to 1.24, the server forgets all but the last 4,096 events, and objects about which there were events.
func TestEventsForgotten(t *testing.T) {
	c, now := newCorrelator(), time.Now()
	count := func(object int) int32 {
		e := &corev1.Event{
			InvolvedObject: corev1.ObjectReference{Kind: "Service", Name: fmt.Sprint(object)}, Reason: "PortNotAllocated",
			FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now), Count: 1,
		}
		c.correlate(e)
		return e.Count
	}
	for object := range mostCorrelated {
		count(object)
	}
	if got := count(0); got != 2 {
		t.Errorf("an event among the last ones has the count %d, want 2", got)
	}
	count(mostCorrelated)
	if got := count(1); got != 1 {
		t.Errorf("an event before the last ones has the count %d, want 1", got)
	}
	for what, n := range map[string]int{"similar": c.similar.Len(), "counted": c.counted.Len(), "budgets": c.budgets.Len()} {
		if n != mostCorrelated {
			t.Errorf("%s has %d entries, want %d", what, n, mostCorrelated)
		}
	}
}
