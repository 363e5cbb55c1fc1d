package tokens

import (
	"maps"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// validFor is how long the server believes that a token is still valid: TokenSuccessCacheTTL in
// kubernetes/kubernetes:pkg/kubeapiserver/options/authentication.go.
const validFor = 10 * time.Second

// A Cluster issues and reviews the tokens of one cluster. It remembers valid tokens for a while, as a server does, so they
// may remain valid for that time after the deletion of their account:
// kubernetes/apiserver:pkg/authentication/token/cache/cached_token_authenticator.go.
type Cluster struct {
	*Issuer
	release *kubeversion.Release

	mutex sync.Mutex
	valid map[string]reviewed // by token and audiences
	most  int                 // with more entries, those that have expired are dropped
}

type reviewed struct {
	authenticationv1.TokenReviewStatus
	did   trace.Effects
	until time.Time
}

// For returns the issuer's part for a cluster of a release.
func (i *Issuer) For(r *kubeversion.Release) *Cluster {
	return &Cluster{Issuer: i, release: r, valid: map[string]reviewed{}}
}

// Review identifies the user of a token, for the given audiences or, without any, for the API server. What is wrong with a
// token is in the error of the status. did is what else the server does when the token is used.
func (c *Cluster) Review(s *cluster.State, token string, audiences []string, now time.Time) (status authenticationv1.TokenReviewStatus, did trace.Effects) {
	wanted := audiences
	if len(wanted) == 0 {
		wanted = c.audiences
	}
	key := strings.Join(append([]string{token}, wanted...), "\x00")
	c.mutex.Lock()
	known, ok := c.valid[key]
	c.mutex.Unlock()
	if ok && now.Before(known.until) {
		return known.TokenReviewStatus, known.did
	}
	u := &use{token: token, state: s, release: c.release, now: now}
	status, did = c.review(u, audiences), u.Did()
	if !status.Authenticated {
		return status, trace.Effects{Sent: did.Sent}
	}
	one := reviewed{status, trace.Effects{Warnings: did.Warnings, Annotations: did.Annotations}, now.Add(validFor)}
	if !c.remember(key, one, now) {
		return status, one.did
	}
	return status, did
}

// remember reports whether the token was not known as valid. If it is used several times at once, only the first use sends
// requests.
func (c *Cluster) remember(key string, one reviewed, now time.Time) (isNew bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if now.Before(c.valid[key].until) {
		return false
	}
	if len(c.valid) >= c.most {
		maps.DeleteFunc(c.valid, func(_ string, old reviewed) bool { return !now.Before(old.until) })
		c.most = 2*len(c.valid) + 100
	}
	c.valid[key] = one
	return true
}
