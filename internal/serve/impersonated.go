package serve

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/pkg/rest"
)

// impersonationsAllowed is how long the server remembers whom somebody may impersonate under a constraint:
// kubernetes/apiserver:pkg/endpoints/filters/impersonation/cache.go.
const impersonationsAllowed = 10 * time.Second

// An impersonationKey says what the server remembers an answer for: a request that somebody sends as somebody else, or
// all of their requests.
type impersonationKey struct {
	Mode           string
	Wanted, Sender authenticationv1.UserInfo
	Request        *requestKey
}

type requestKey struct{ Verb, Path, Labels, Fields string }

// impersonationKeys returns the keys of this request and of all requests, which are empty for what is not remembered:
// impersonations without a constraint, and requests whose selectors cannot be read.
func (x *exchange) impersonationKeys(mode string, wanted authenticationv1.UserInfo) (this, all string) {
	if mode == "" {
		return "", ""
	}
	key := impersonationKey{Mode: mode, Wanted: wanted, Sender: x.real}
	if mode == associatedNode { // the same for all nodes on which an account has pods
		key.Wanted.Username = "system:node:*"
		key.Sender.Extra = map[string]authenticationv1.ExtraValue{"keys": slices.Sorted(maps.Keys(x.real.Extra))}
	}
	all = key.String()
	key.Request = &requestKey{Verb: x.verb, Path: x.r.URL.Path}
	if x.asked.Resource.Resource != "" && x.asked.Name == "" && slices.Contains([]string{rest.List, watch, rest.DeleteCollection}, x.verb) {
		query := x.r.URL.Query()
		byLabels, err := labels.Parse(query.Get("labelSelector"))
		if err != nil {
			return "", all
		}
		byFields, err := fields.ParseSelector(query.Get("fieldSelector"))
		if err != nil {
			return "", all
		}
		key.Request.Labels, key.Request.Fields = byLabels.String(), byFields.String()
	}
	return key.String(), all
}

func (k impersonationKey) String() string {
	text, _ := json.Marshal(k) // texts only
	return string(text)
}

// recall returns whom the sender has become shortly before.
func (x *exchange) recall(key string) (who authenticationv1.UserInfo, ok bool) {
	if key == "" {
		return who, false
	}
	found, ok := x.allowed.Get(key)
	if ok {
		who = found.(authenticationv1.UserInfo)
	}
	return who, ok
}

func (x *exchange) remember(key string, who authenticationv1.UserInfo) {
	if key != "" {
		x.allowed.Set(key, who, impersonationsAllowed)
	}
}
