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
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Page is all or part of a list.
type Page struct {
	state     *cluster.State // as the list shows it
	version   int64          // of the list
	start     string         // the key at which the page begins; empty: that of the first object
	limit     int64          // 0: none
	more      string         // the key of the last object of this page; empty if no page follows
	counted   bool
	remaining int64
	shards    *metav1.ShardInfo
}

// PageOf returns the page that a client asks for, in a state of the cluster, or in one before it. at returns the state at a
// version, if it is still known.
func PageOf(by Selection, state *cluster.State, at func(version int64) (*cluster.State, bool)) (*Page, error) {
	o, r := by.Options, by.from.release
	p := &Page{state: state, version: state.Writes(), limit: o.Limit}
	if by.unlimited() {
		p.limit = 0
	}
	version, err := ParseVersion(o.Version)
	if err != nil && (o.Continue == "" || r.Has(kubeversion.ListVersionsFirst) && !r.Has(kubeversion.TokensFirst)) {
		return nil, by.invalidVersion(err)
	}
	if o.Continue != "" {
		return p, p.resume(by, at)
	}
	if version > uint64(state.Writes()) {
		return nil, by.tooLarge(version, state.Writes())
	}
	if by.exact() && version > 0 {
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
func (p *Page) resume(by Selection, at func(version int64) (*cluster.State, bool)) error {
	t, err := parseToken(by.Options.Continue, by.from.release)
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

// Read returns the stored objects of the page that are selected. If nothing is selected by, the objects of the pages that
// follow are counted.
func (p *Page) Read(kind schema.GroupKind, namespace string, by Selection) (stored []runtime.Object, err error) {
	p.counted, p.shards = by.counts(), by.shardInfo()
	skipping := p.start != ""
	for kept := range p.state.List(kind, namespace) {
		if skipping {
			if keyOf(kept.Object, namespace) < p.start {
				continue
			}
			skipping = false
		}
		if ok, err := by.Matches(kept.Object); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		if p.limit > 0 && int64(len(stored)) == p.limit {
			p.more = keyOf(stored[len(stored)-1], namespace)
			p.remaining++
			if !p.counted {
				break
			}
			continue
		}
		stored = append(stored, kept.Object)
	}
	return stored, nil
}

// Meta returns the metadata of the list, after [Page.Read].
func (p *Page) Meta() metav1.ListMeta {
	m := metav1.ListMeta{ResourceVersion: strconv.FormatInt(p.version, 10), ShardInfo: p.shards}
	if p.more != "" {
		m.Continue = continueToken{Version: p.version, Start: p.more + "\x00"}.String()
		if p.counted {
			m.RemainingItemCount = &p.remaining
		}
	}
	return m
}
