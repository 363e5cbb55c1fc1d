package controllers

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/lru"
)

// How many events are written up to 1.24: kubernetes/client-go:tools/record/events_cache.go.
const (
	eventBurst = 25 // about one object
	eventEvery = 5 * time.Minute

	mostSimilar   = 9 // events that differ in nothing but their messages; further ones are combined
	similarWithin = 10 * time.Minute

	mostCorrelated = 4096
)

// A correlator knows the events that a controller of the server has written lately.
type correlator struct {
	similar *lru.Cache // *similarEvents by countedKey without a message
	counted *lru.Cache // *corev1.Event by countedKey: the last one, with the count
	budgets *lru.Cache // *budget by corev1.ObjectReference
}

func newCorrelator() correlator {
	return correlator{lru.New(mostCorrelated), lru.New(mostCorrelated), lru.New(mostCorrelated)}
}

// A countedKey is what events have in common that are counted as one.
type countedKey struct {
	object          corev1.ObjectReference // of any version
	reason, message string                 // no message: they are combined
}

// similarEvents are events that differ in nothing but their messages.
type similarEvents struct {
	messages map[string]bool
	last     time.Time
}

// A budget is the number of events that may be written about an object.
type budget struct {
	left float64
	at   time.Time
}

// take reports whether another event may be written now.
func (b *budget) take(now time.Time) bool {
	b.left = min(eventBurst, b.left+now.Sub(b.at).Seconds()/eventEvery.Seconds())
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// correlate makes an event part of an earlier one if the same has happened before. It reports whether the event is written.
func (c correlator) correlate(e *corev1.Event) bool {
	key := c.combine(e)
	if last, ok := c.counted.Get(key); ok {
		first := last.(*corev1.Event)
		e.Name, e.FirstTimestamp, e.Count = first.Name, first.FirstTimestamp, first.Count+1
	}
	c.counted.Add(key, e)
	b, ok := c.budgets.Get(key.object)
	if !ok {
		b = &budget{eventBurst, e.LastTimestamp.Time}
		c.budgets.Add(key.object, b)
	}
	return b.(*budget).take(e.LastTimestamp.Time)
}

// combine returns how an event is counted, and changes the message of one that is combined with others. Then, the server
// forgets a message that it draws; here, it is the new one.
func (c correlator) combine(e *corev1.Event) countedKey {
	key := countedKey{object: e.InvolvedObject, reason: e.Reason}
	key.object.ResourceVersion = ""
	found, _ := c.similar.Get(key)
	s, ok := found.(*similarEvents)
	if !ok || e.LastTimestamp.Sub(s.last) > similarWithin {
		s = &similarEvents{messages: map[string]bool{}}
		c.similar.Add(key, s)
	}
	s.last = e.LastTimestamp.Time
	if !s.messages[e.Message] && len(s.messages) == mostSimilar {
		e.Message = "(combined from similar events): " + e.Message
		return key
	}
	s.messages[e.Message] = true
	key.message = e.Message
	return key
}
