package serve

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/rest"
)

// An impersonation is a way to act as somebody else: kubernetes/apiserver:pkg/endpoints/filters/impersonation/mode.go.
type impersonation struct {
	// mode is the constraint under which the user acts, such as user-info; empty: there is none.
	mode string
	// applies reports whether somebody can be impersonated like this.
	applies func(wanted authenticationv1.UserInfo, sender authenticationv1.UserInfo) bool
}

// associatedNode is the mode in which the account of a pod acts as its node.
const associatedNode = "associated-node"

// impersonations lists the modes, the most constrained ones first. The last one is that of all releases.
var impersonations = []impersonation{
	{associatedNode, func(wanted, sender authenticationv1.UserInfo) bool {
		name, isNode := nodeOf(wanted.Username)
		_, _, err := serviceaccount.SplitUsername(sender.Username)
		of := sender.Extra[serviceaccount.NodeNameKey]
		return isOnlyName(wanted) && isNode && err == nil && len(of) == 1 && of[0] == name
	}},
	{"arbitrary-node", func(wanted, _ authenticationv1.UserInfo) bool {
		_, isNode := nodeOf(wanted.Username)
		return isOnlyName(wanted) && isNode
	}},
	{"serviceaccount", func(wanted, _ authenticationv1.UserInfo) bool {
		_, _, err := serviceaccount.SplitUsername(wanted.Username)
		return isOnlyName(wanted) && err == nil
	}},
	{"user-info", func(wanted, _ authenticationv1.UserInfo) bool {
		_, isNode := nodeOf(wanted.Username)
		_, _, err := serviceaccount.SplitUsername(wanted.Username)
		return !isNode && err != nil
	}},
	{"", func(_, _ authenticationv1.UserInfo) bool { return true }},
}

func isOnlyName(u authenticationv1.UserInfo) bool {
	return u.UID == "" && len(u.Groups) == 0 && len(u.Extra) == 0
}

func nodeOf(username string) (name string, ok bool) {
	name, ok = strings.CutPrefix(username, "system:node:")
	return name, ok && len(validation.NameIsDNSSubdomain(name, false)) == 0
}

// constrains reports whether the server has other impersonations than the last.
func (x *exchange) constrains() bool { return x.sim.Release().GateOn("ConstrainedImpersonation") }

// impersonations returns the modes in the order in which they are tried for the sender, who probably needs again what the
// last impersonation needed: kubernetes/apiserver:pkg/endpoints/filters/impersonation/constrained_impersonation.go.
func (x *exchange) impersonations() []impersonation {
	if !x.constrains() {
		return impersonations[len(impersonations)-1:]
	}
	last, ok := x.impersonated.Get(x.real.Username)
	if !ok {
		return impersonations
	}
	i := slices.IndexFunc(impersonations, func(one impersonation) bool { return one.mode == last })
	return slices.Concat(impersonations[i:i+1], impersonations[:i], impersonations[i+1:])
}

// impersonate makes the request one of another user, if it asks for that. It returns false if that ended the request.
func (x *exchange) impersonate() bool {
	h := x.r.Header
	wanted := authenticationv1.UserInfo{
		Username: h.Get(authenticationv1.ImpersonateUserHeader), UID: h.Get(authenticationv1.ImpersonateUIDHeader),
		Groups: h.Values(authenticationv1.ImpersonateGroupHeader), Extra: impersonatedExtra(h),
	}
	if wanted.Username == "" {
		return isOnlyName(wanted) || x.refuseNobody(wanted)
	}
	var first error
	for _, one := range x.impersonations() {
		if !one.applies(wanted, x.real) {
			continue
		}
		who, err := x.try(one, wanted)
		if err == nil {
			x.user, x.as = who, &who
			if one.mode != "" {
				x.constraint = "impersonate:" + one.mode
			}
			x.impersonated.Add(x.real.Username, one.mode)
			return true
		}
		if first == nil {
			first = err
		}
	}
	if refused := (*apierrors.StatusError)(nil); errors.As(first, &refused) {
		x.status(&refused.ErrStatus)
	} else {
		x.notEvaluated(first)
	}
	return false
}

// refuseNobody refuses to impersonate somebody without a name.
func (x *exchange) refuseNobody(wanted authenticationv1.UserInfo) bool {
	if !x.constrains() {
		x.text(http.StatusInternalServerError, fmt.Sprintf("Internal Server Error: %q: requested impersonation of groups, a uid or extras without impersonating a user\n", x.r.URL.Path))
		return false
	}
	shown := admission.Subject(wanted.Username, wanted.UID, wanted.Groups, wanted.Extra)
	info := &user.DefaultInfo{UID: shown.GetUID(), Groups: shown.GetGroups(), Extra: shown.GetExtra()}
	x.status(admission.StatusOf(apierrors.NewBadRequest(fmt.Sprintf("requested %#v without impersonating a user name", info))))
	return false
}

// try returns the user whom the sender may impersonate. The error is a status error if that is not allowed.
func (x *exchange) try(as impersonation, wanted authenticationv1.UserInfo) (who authenticationv1.UserInfo, err error) {
	thisRequest, allRequests := x.impersonationKeys(as.mode, wanted)
	who, ok := x.recall(thisRequest)
	if !ok {
		if as.mode != "" {
			if err := x.mayActOn(as.mode); err != nil {
				return who, err
			}
		}
		if who, ok = x.recall(allRequests); !ok {
			if err := x.mayBe(as.mode, wanted); err != nil {
				return who, err
			}
			who = completed(wanted, as.mode)
			x.remember(allRequests, who)
		}
		x.remember(thisRequest, who)
	}
	who.Username = wanted.Username // the one that is remembered may be another node of the same account
	return who, nil
}

// completed returns a user who is impersonated, with the groups that nobody has to ask for.
func completed(wanted authenticationv1.UserInfo, mode string) authenticationv1.UserInfo {
	who := wanted
	who.Groups = slices.Clone(wanted.Groups)
	if namespace, _, err := serviceaccount.SplitUsername(wanted.Username); err == nil && len(wanted.Groups) == 0 {
		who.Groups = serviceaccount.MakeGroupNames(namespace)
	}
	if _, isNode := nodeOf(wanted.Username); isNode && mode != "" {
		who.Groups = []string{user.NodesGroup}
	}
	switch {
	case who.Username == user.Anonymous:
		if !slices.Contains(who.Groups, user.AllUnauthenticated) {
			who.Groups = append(who.Groups, user.AllUnauthenticated)
		}
	case !slices.Contains(who.Groups, user.AllAuthenticated) && !slices.Contains(who.Groups, user.AllUnauthenticated):
		who.Groups = append(who.Groups, user.AllAuthenticated)
	}
	return who
}

// mayActOn checks whether the sender may do what is requested in a mode of impersonation.
func (x *exchange) mayActOn(mode string) error {
	prefix := "impersonate-on:" + mode + ":"
	if x.asked.Resource.Resource == "" {
		verb := prefix + strings.ToLower(x.r.Method)
		a, err := x.may(authorizer.AttributesRecord{Verb: verb, Path: x.r.URL.Path}, !isAnonymous(x.real))
		return refusedAs(a, x.forbiddenPath(verb), err)
	}
	if !x.sim.Authorizes() {
		verb := prefix + x.verb
		return refusedAs(rest.Authorization{Allowed: !isAnonymous(x.real)}, x.forbidden(x.asked.Resource.Resource, x.asked.Resource.Group, x.asked.Name, verb, x.asked.Namespace), nil)
	}
	req := x.asked
	req.User, req.Verb = x.real, prefix+x.verb
	a, err := x.sim.Authorization(x.r.Context(), req)
	return refusedAs(a, a.Refusal, err)
}

// manyChecks is how many values make the server ask whether all values are allowed, first.
const manyChecks = 4

// mayBe checks whether the sender may impersonate each part of a user. Servers without constraints ask about the UID last.
func (x *exchange) mayBe(mode string, wanted authenticationv1.UserInfo) error {
	as := impersonator{x: x, mode: mode, verb: "impersonate"}
	if mode != "" {
		as.verb, as.group = as.verb+":"+mode, authenticationv1.GroupName
	}
	parts := []func(authenticationv1.UserInfo) error{as.named, as.inGroups, as.withExtra, as.withUID}
	if x.constrains() {
		parts = []func(authenticationv1.UserInfo) error{as.named, as.withUID, as.inGroups, as.withExtra}
	}
	for _, allowed := range parts {
		if err := allowed(wanted); err != nil {
			return err
		}
	}
	return nil
}

// An impersonator asks whether the sender may impersonate the parts of a user in a mode.
type impersonator struct {
	x          *exchange
	mode, verb string
	group      string // of users and groups
}

func (i impersonator) ask(group, resource, subresource, namespace, name string) error {
	a, err := i.x.may(authorizer.AttributesRecord{
		Verb: i.verb, APIGroup: group, APIVersion: "v1", Resource: resource, Subresource: subresource, Namespace: namespace, Name: name, ResourceRequest: true,
	}, !isAnonymous(i.x.real))
	if subresource != "" {
		resource += "/" + subresource
	}
	return refusedAs(a, i.x.forbidden(resource, group, name, i.verb, namespace), err)
}

// never refuses what no permission allows in a mode with a constraint.
func (i impersonator) never(group, resource, name, why string) error {
	status := i.x.forbidden(resource, group, name, i.verb, "")
	status.Message += ": " + why
	return refusedAs(rest.Authorization{}, status, nil)
}

func (i impersonator) named(wanted authenticationv1.UserInfo) error {
	resource, namespace, name := "users", "", wanted.Username
	if of, account, err := serviceaccount.SplitUsername(wanted.Username); err == nil {
		resource, namespace, name = "serviceaccounts", of, account
	} else if node, isNode := nodeOf(wanted.Username); isNode && i.mode != "" {
		resource, name = "nodes", node
		if i.mode == associatedNode {
			name = "*"
		}
	}
	return i.ask(i.group, resource, "", namespace, name)
}

func (i impersonator) withUID(wanted authenticationv1.UserInfo) error {
	if wanted.UID == "" {
		return nil
	}
	return i.ask(authenticationv1.GroupName, "uids", "", "", wanted.UID)
}

func (i impersonator) inGroups(wanted authenticationv1.UserInfo) error {
	if i.mode != "" {
		switch {
		case slices.Contains(wanted.Groups, ""):
			return i.never(i.group, "groups", "", "impersonating the empty string group is not allowed")
		case slices.Contains(wanted.Groups, user.SystemPrivilegedGroup):
			return i.never(i.group, "groups", user.SystemPrivilegedGroup, "impersonating the system:masters group is not allowed")
		case len(wanted.Groups) >= manyChecks && i.ask(i.group, "groups", "", "", "*") == nil:
			return nil
		}
	}
	for _, one := range wanted.Groups {
		if err := i.ask(i.group, "groups", "", "", one); err != nil {
			return err
		}
	}
	return nil
}

func (i impersonator) withExtra(wanted authenticationv1.UserInfo) error {
	keys, values := slices.Sorted(maps.Keys(wanted.Extra)), 0
	for _, key := range keys {
		values += len(wanted.Extra[key])
	}
	if i.mode != "" {
		for _, key := range keys {
			if why := wrongExtra(key, wanted.Extra[key]); why != "" {
				return i.never(authenticationv1.GroupName, "userextras", "", why)
			}
		}
		if values >= manyChecks && i.ask(authenticationv1.GroupName, "userextras", "*", "", "*") == nil {
			return nil
		}
	}
	for _, key := range keys {
		for _, value := range wanted.Extra[key] {
			if err := i.ask(authenticationv1.GroupName, "userextras", key, "", value); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrongExtra says why extra values can only be impersonated without a constraint.
func wrongExtra(key string, values authenticationv1.ExtraValue) string {
	if key == "" {
		return "impersonating the empty string key in extra is not allowed"
	}
	if err := utilvalidation.IsDomainPrefixedPath(field.NewPath("extra", "key"), key).ToAggregate(); err != nil {
		return "impersonating an invalid key in extra is not allowed: " + err.Error()
	}
	if slices.Contains(values, "") {
		return "impersonating the empty string value in extra is not allowed"
	}
	return ""
}

// refusedAs returns an answer of the authorizers as an error, nil if they allow what they were asked.
func refusedAs(a rest.Authorization, status *metav1.Status, err error) error {
	switch {
	case err != nil:
		return err
	case a.Failure != "":
		return &failedAuthorizers{a.Failure}
	case a.Allowed:
		return nil
	}
	return &apierrors.StatusError{ErrStatus: *status}
}

func impersonatedExtra(h http.Header) map[string]authenticationv1.ExtraValue {
	var extra map[string]authenticationv1.ExtraValue
	for key, values := range h {
		name, ok := strings.CutPrefix(strings.ToLower(key), strings.ToLower(authenticationv1.ImpersonateUserExtraHeaderPrefix))
		if !ok {
			continue
		}
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if extra == nil {
			extra = map[string]authenticationv1.ExtraValue{}
		}
		extra[name] = values
	}
	return extra
}
