package tokens

import (
	"maps"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/pkg/cluster"
)

// validFor is how long the server believes that a token is still valid: TokenSuccessCacheTTL in
// kubernetes/kubernetes:pkg/kubeapiserver/options/authentication.go.
const validFor = 10 * time.Second

// A Cached issuer is that of one cluster. It remembers valid tokens for a while, as a server does, so they may remain valid for
// that time after the deletion of their account: kubernetes/apiserver:pkg/authentication/token/cache/cached_token_authenticator.go.
type Cached struct {
	*Issuer

	mutex sync.Mutex
	valid map[string]cached // by token and audiences
	most  int               // with more entries, those that have expired are dropped
}

type cached struct {
	authenticationv1.TokenReviewStatus
	until time.Time
}

// NewCached returns the issuer of a cluster.
func NewCached(i *Issuer) *Cached { return &Cached{Issuer: i, valid: map[string]cached{}} }

// Review is [Issuer.Review], or its recent result.
func (c *Cached) Review(s *cluster.State, token string, audiences []string, now time.Time) authenticationv1.TokenReviewStatus {
	wanted := audiences
	if len(wanted) == 0 {
		wanted = c.audiences
	}
	key := strings.Join(append([]string{token}, wanted...), "\x00")
	c.mutex.Lock()
	known, ok := c.valid[key]
	c.mutex.Unlock()
	if ok && now.Before(known.until) {
		return known.TokenReviewStatus
	}
	status := c.Issuer.Review(s, token, audiences, now)
	if status.Authenticated {
		c.remember(key, cached{status, now.Add(validFor)}, now)
	}
	return status
}

func (c *Cached) remember(key string, one cached, now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.valid) >= c.most {
		maps.DeleteFunc(c.valid, func(_ string, old cached) bool { return !now.Before(old.until) })
		c.most = 2*len(c.valid) + 100
	}
	c.valid[key] = one
}
