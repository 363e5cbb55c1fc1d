package store

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/trace"
)

// lookups are the answers to requests of the server to itself that it remembers for a while. It is safe for concurrent
// use.
type lookups struct {
	mutex sync.Mutex
	until map[lookup]time.Time
	most  int // with more entries, those that have expired are dropped
}

type lookup struct {
	schema.GroupVersionResource
	namespace string
}

// send returns the requests that the server really sends: not those whose answers it remembers.
func (l *lookups) send(all []trace.Sent, now time.Time) (sent []trace.Sent) {
	for i := range all {
		if all[i].Remembered == 0 || l.ask(&all[i], now) {
			sent = append(sent, all[i])
		}
	}
	return sent
}

// ask reports whether the answer is not remembered, but will be from now on.
func (l *lookups) ask(sent *trace.Sent, now time.Time) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	key := lookup{sent.Resource, sent.Namespace}
	if until, ok := l.until[key]; ok && !now.After(until) {
		return false
	}
	if len(l.until) >= l.most {
		l.expire(now)
	}
	l.until[key] = now.Add(sent.Remembered)
	return true
}

func (l *lookups) expire(now time.Time) {
	kept := map[lookup]time.Time{}
	for key, until := range l.until {
		if !now.After(until) {
			kept[key] = until
		}
	}
	l.until, l.most = kept, 2*len(kept)+100
}
