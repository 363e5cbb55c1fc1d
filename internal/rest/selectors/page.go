package selectors

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Page returns the stored objects of the page that a client asks for, in a state of the cluster or in one before it, and the
// metadata of the list. at returns the state at a version, if it is still known. Without selectors, the objects of the pages
// that follow are counted.
func (s Selection) Page(state *cluster.State, at func(version int64) (*cluster.State, bool)) (stored []runtime.Object, list metav1.ListMeta, err error) {
	p, err := s.begin(state, at)
	if err != nil {
		return nil, list, err
	}
	if stored, err = p.read(s); err != nil {
		return nil, list, err
	}
	list = metav1.ListMeta{ResourceVersion: strconv.FormatInt(p.version, 10), ShardInfo: s.shardInfo()}
	if p.remaining > 0 {
		last := keyOf(stored[len(stored)-1], s.namespace)
		list.Continue = continueToken{Version: p.version, Start: last + "\x00"}.String()
		if s.counts() {
			list.RemainingItemCount = &p.remaining
		}
	}
	return stored, list, nil
}

// A page is all or part of a list.
type page struct {
	state     *cluster.State // as the list shows it
	version   int64          // of the list
	start     string         // the key at which the page begins; empty: that of the first object
	remaining int64          // how many objects follow; only one is counted unless the list says how many there are
}

// begin returns where a page begins.
func (s Selection) begin(state *cluster.State, at func(version int64) (*cluster.State, bool)) (*page, error) {
	o := s.Options
	p := &page{state: state, version: state.Writes()}
	version, err := ParseVersion(o.Version)
	if err != nil && (o.Continue == "" || s.release.Has(kubeversion.ListVersionsFirst) && !s.release.Has(kubeversion.TokensFirst)) {
		return nil, s.invalidVersion(err)
	}
	if o.Continue != "" {
		return p, p.resume(s, at)
	}
	if version > uint64(state.Writes()) {
		return nil, s.tooLarge(version, state.Writes())
	}
	if s.exact() && version > 0 {
		found, ok := at(int64(version))
		if !ok {
			return nil, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
		}
		p.state, p.version = found, int64(version)
	}
	return p, nil
}

// A continueToken encodes where a list continues: kubernetes/apiserver:pkg/storage/continue.go.
type continueToken struct {
	APIVersion string `json:"v"`
	Version    int64  `json:"rv"` // negative: the newest state
	Start      string `json:"start"`
}

const tokenVersion = "meta.k8s.io/v1"

func (t continueToken) String() string {
	t.APIVersion = tokenVersion
	data, _ := json.Marshal(t) // it has only strings and a number
	return base64.RawURLEncoding.EncodeToString(data)
}

// parseToken returns where a list continues.
func parseToken(text string, r *kubeversion.Release) (t continueToken, err error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		home := "storage."
		if !r.Has(kubeversion.TokensInStorage) {
			home = "etcd3."
		}
		return t, errors.New(strings.Replace(err.Error(), " selectors.", " "+home, 1))
	}
	start := "/" + strings.TrimPrefix(t.Start, "/")
	switch {
	case t.APIVersion != tokenVersion && !r.Has(kubeversion.TokensInStorage):
		return t, fmt.Errorf("server does not recognize this encoded version %q", t.APIVersion)
	case t.APIVersion != tokenVersion:
		return t, errors.New("server does not recognize this encoded version " + t.APIVersion)
	case t.Version == 0:
		return t, errors.New("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return t, errors.New("encoded start key empty (version meta.k8s.io/v1)")
	case path.Clean(start) != start:
		return t, errors.New(t.Start)
	}
	t.Start = start[1:]
	return t, nil
}

// resume continues a list.
func (p *page) resume(by Selection, at func(version int64) (*cluster.State, bool)) error {
	t, err := parseToken(by.Options.Continue, by.release)
	if err != nil {
		return apierrors.NewBadRequest("invalid continue token: continue key is not valid: " + err.Error())
	}
	if v := by.Options.Version; v != "" && v != "0" {
		return apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	p.start = t.Start
	if t.Version < 0 {
		return nil
	}
	if t.Version > p.version {
		return by.tooLarge(uint64(t.Version), p.version)
	}
	found, ok := at(t.Version)
	if !ok {
		gone := apierrors.NewResourceExpired(tooOldToContinue)
		gone.ErrStatus.Continue = continueToken{Version: -1, Start: t.Start}.String()
		return gone
	}
	p.state, p.version = found, t.Version
	return nil
}

const tooOldToContinue = "The provided continue parameter is too old " +
	"to display a consistent list result. You can start a new list without " +
	"the continue parameter, or use the continue token in this response to " +
	"retrieve the remainder of the results. Continuing with the provided " +
	"token results in an inconsistent list - objects that were created, " +
	"modified, or deleted between the time the first chunk was returned " +
	"and now may show up in the list."

// keyOf returns the key by which an object is sorted in a list of its kind, which may be that of one namespace.
func keyOf(object runtime.Object, namespace string) string {
	k := cluster.KeyOf(object)
	if k.Namespace == namespace {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// read returns the stored objects of the page that are selected.
func (p *page) read(by Selection) (stored []runtime.Object, err error) {
	limit, counts := by.limit(), by.counts()
	skipping := p.start != ""
	for kept := range p.state.List(by.resource.Storage.GroupKind(), by.namespace) {
		if skipping {
			if keyOf(kept.Object, by.namespace) < p.start {
				continue
			}
			skipping = false
		}
		if ok, err := by.Matches(kept.Object); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		if limit <= 0 || int64(len(stored)) < limit {
			stored = append(stored, kept.Object)
			continue
		}
		if p.remaining++; !counts {
			break
		}
	}
	return stored, nil
}
