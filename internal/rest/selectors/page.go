package selectors

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// A Page is all or part of a list.
type Page struct {
	state     *cluster.State // as the list shows it
	version   int64          // of the list
	after     string         // the key of the last object of the page before
	limit     int64          // 0: none
	more      string         // the key of the last object of this page; empty if no page follows
	counted   bool
	remaining int64
	shards    *metav1.ShardInfo
}

// PageOf returns the page that a client asks for, in a state of the cluster, or in the one of the pages before. at
// returns the state at a version, if it is still known.
func PageOf(o Options, state *cluster.State, at func(version int64) (*cluster.State, bool)) (*Page, error) {
	p := &Page{state: state, version: state.Writes(), limit: o.Limit}
	if o.Continue == "" {
		return p, nil
	}
	return p, p.resume(o, at)
}

// A token encodes where a list continues: kubernetes/apiserver:pkg/storage/continue.go.
type token struct {
	APIVersion string `json:"v"`
	Version    int64  `json:"rv"`
	Start      string `json:"start"`
}

const tokenVersion = "meta.k8s.io/v1"

// latestVersion in a token means that the list continues with the newest state.
const latestVersion = -1

func (t token) String() string {
	t.APIVersion = tokenVersion
	data, _ := json.Marshal(t) // it has only strings and a number
	return base64.RawURLEncoding.EncodeToString(data)
}

// resume continues a list.
func (p *Page) resume(o Options, at func(version int64) (*cluster.State, bool)) error {
	invalid := func(text string) error {
		return apierrors.NewBadRequest("continue key is not valid: " + text)
	}
	data, err := base64.RawURLEncoding.DecodeString(o.Continue)
	if err != nil {
		return invalid(err.Error())
	}
	var t token
	if err := json.Unmarshal(data, &t); err != nil {
		return invalid(err.Error())
	}
	switch {
	case t.APIVersion != tokenVersion:
		return invalid("server does not recognize this encoded version " + t.APIVersion)
	case t.Version == 0:
		return invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return invalid("encoded start key empty (version meta.k8s.io/v1)")
	case path.Clean("/"+t.Start) != "/"+t.Start:
		return invalid(t.Start)
	case o.Version != "" && o.Version != "0":
		return apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	p.after = strings.TrimSuffix(t.Start, "\x00")
	if t.Version == latestVersion {
		return nil
	}
	found, ok := at(t.Version)
	if !ok {
		gone := apierrors.NewResourceExpired(tooOldToContinue)
		gone.ErrStatus.Continue = token{Version: latestVersion, Start: t.Start}.String()
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
	p.counted, p.shards = by.Empty(), by.shardInfo()
	skipping := p.after != ""
	for kept := range p.state.List(kind, namespace) {
		if skipping {
			if keyOf(kept.Object, namespace) <= p.after {
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
		m.Continue = token{Version: p.version, Start: p.more + "\x00"}.String()
		if p.counted {
			m.RemainingItemCount = &p.remaining
		}
	}
	return m
}
