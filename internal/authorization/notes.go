package authorization

import (
	"context"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// Notes records the questions that authorization webhooks are asked during one request, and caches their answers
// (AU-54). A nil *Notes records nothing.
type Notes struct {
	ctx context.Context //nolint:containedctx // of the request
	now time.Time

	mu    sync.Mutex
	known plugin.Recent[answer]
	hooks []trace.Hook // since the last Take
	made  map[string]int
	err   error
}

// An answer of a webhook, and until when it is valid.
type answer struct {
	status authorizationv1.SubjectAccessReviewStatus
	until  time.Time
}

// remembered is how many answers the server caches.
const remembered = 8192

// NewNotes returns the notes for a request with context ctx, which finds the cluster in state s at time now.
func NewNotes(ctx context.Context, s *cluster.State, now time.Time) *Notes {
	known, ok := s.Memory(WebhookConfiguration).(plugin.Recent[answer])
	if !ok {
		known = plugin.NewRecent[answer](remembered)
	}
	return &Notes{ctx: ctx, now: now, known: known, made: map[string]int{}}
}

// In returns s with the answers of the webhooks remembered in it.
func (n *Notes) In(s *cluster.State) *cluster.State {
	if n == nil {
		return s
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.made) == 0 {
		return s
	}
	return s.Remembering(WebhookConfiguration, n.known)
}

// Take returns a hook for each question asked since the last call.
func (n *Notes) Take() []trace.Hook {
	n.mu.Lock()
	defer n.mu.Unlock()
	hooks := n.hooks
	n.hooks = nil
	return hooks
}

// Err returns why admsim cannot know the answer of a webhook, or nil.
func (n *Notes) Err() error {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

func (n *Notes) unknown(err error) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err == nil {
		n.err = err
	}
}

func (n *Notes) add(h trace.Hook) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hooks = append(n.hooks, h)
	if h.Called {
		n.made[h.Name] += len(h.Calls)
	}
	n.now = n.now.Add(h.Duration)
}

// calls returns how many calls a webhook got.
func (n *Notes) calls(name string) int {
	if n == nil {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.made[name]
}

func (n *Notes) recall(key string) (authorizationv1.SubjectAccessReviewStatus, bool) {
	if n == nil {
		return authorizationv1.SubjectAccessReviewStatus{}, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	a, ok := n.known.Get(key)
	return a.status, ok && !n.now.After(a.until)
}

func (n *Notes) remember(key string, status authorizationv1.SubjectAccessReviewStatus, ttl time.Duration) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known = n.known.With(key, answer{status, n.now.Add(ttl)})
}
