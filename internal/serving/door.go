package serving

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Door lets the program of a webhook into the cluster that asks it. While a call is under way, the
// program finds the cluster as it is at that very step of that request. What the program changes is in
// the reply.
//
// A program cannot say which call its requests belong to. So it is asked about one cluster at a time:
// calls that come from others wait, and their deadlines begin when the wait is over. Only a program that
// has not turned to the cluster in its first calls is asked side by side. If it does so later, while it is
// asked about several, nobody can tell what it was to see, and these calls have no answer.
//
// Who watches sees what differs between one cluster and the next, as if somebody had written it. What the program
// wrote before its first call, such as a certificate, the lease of its leader or the status of its policies, it finds in
// all of them as it wrote it last, unless the object is another one there. Requests do not.
type Door struct {
	warn func(error)

	// living is the cluster of a server that is always the same one. Nil: the cluster follows the calls.
	living *Cluster

	cluster  *Cluster
	entrance *door.Entrance
	folder   string // with what the program gets in by
	token    string
	as       http.Handler // for whoever has the token

	mu      sync.Mutex
	turned  bool            // the program has turned to the cluster, or says that it will
	calls   int             // that were made
	visits  map[*visit]bool // calls that are under way
	left    chan struct{}   // closed when the last of them ends
	awaited bool            // somebody waited for what the program writes before it is asked
	settled time.Time       // when all of that was there

	opened *cluster.State                 // the cluster before the program was there
	begun  *cluster.State                 // the cluster as it was shown last, or opened
	own    map[cluster.Key]cluster.Object // what the program wrote before its first call, as it wrote it last; deleted: no object
	shown  *cluster.State                 // what the cluster was made to be
	at     int64                          // the revision that it had then
	taken  int64                          // changes up to this revision are in replies
}

// probation is after how many calls it is assumed that a program never turns to the cluster.
const probation = 20

// A visit is one call of the program.
type visit struct {
	from   *dispatch.From
	cancel context.CancelFunc
	lost   bool // nobody can tell what it was to see
}

// NewDoor returns the door to whichever cluster asks.
func NewDoor(warn func(error)) *Door {
	return &Door{warn: warn, visits: map[*visit]bool{}, left: make(chan struct{})}
}

// NewDoorTo returns a door to this cluster, which programs find as it is when they ask.
func NewDoorTo(c *Cluster) *Door { return &Door{living: c} }

// Open opens a port for a program whose first call this is. reads tells that the program is known to turn
// to the cluster. The program is the service account that the
// pods behind its webhook's Service run as.
func (d *Door) Open(first dispatch.Call, reads bool) (server, folder string, err error) {
	d.turned = reads
	if d.cluster = d.living; d.cluster == nil {
		sim, err := d.simulatorOf(first.From)
		if err != nil {
			return "", "", err
		}
		if d.cluster, err = Start(sim, Options{Controllers: NoControllers(), Warn: d.warn}); err != nil {
			return "", "", err
		}
		d.opened = d.cluster.store.Latest().State()
		d.begun = d.opened
	}
	account := accountOf(first, d.cluster.store.Latest().State())
	d.token, d.as = rand.Text(), d.cluster.forks.As(account.user)
	if folder, err = os.MkdirTemp("", "admsim-account-"); err != nil {
		return "", "", err
	}
	if d.entrance, err = door.Open(At{Kubeconfig: filepath.Join(folder, "kubeconfig"), Token: d.token}, through{d}); err != nil {
		return "", "", errors.Join(err, os.RemoveAll(folder))
	}
	d.folder = folder
	for name, text := range map[string]string{"token": d.token, "ca.crt": string(d.entrance.CA), "namespace": account.namespace} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return "", "", err
		}
	}
	return d.entrance.Server, folder, nil
}

// Await waits until all objects of these resources have a condition, which the program writes. Once they had it, nobody
// waits any more. Calls about what the program itself writes do not wait. In a cluster that is served it cannot be told
// which these are: there only the first call waits.
func (d *Door) Await(ctx context.Context, c dispatch.Call, conditions map[string]string, limit time.Duration) error {
	d.mu.Lock()
	first := !d.awaited
	d.awaited = true
	d.mu.Unlock()
	if d.living != nil && !first || d.living == nil && d.isInside(c) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := d.lacking(conditions)
		if err == nil && d.hasSettled() {
			return nil
		}
		select {
		case <-ctx.Done():
			return cmp.Or(err, context.Cause(ctx))
		case <-time.After(awaitPause):
		}
	}
}

const (
	// awaitPause is how often it is looked whether a program has written what is awaited.
	awaitPause = 20 * time.Millisecond

	// settling is how long a program has after that: it acts on its own conditions when they come back by a watch.
	settling = 300 * time.Millisecond
)

// hasSettled reports whether the program has had its time since what is awaited was found first.
func (d *Door) hasSettled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.settled.IsZero() {
		d.settled = time.Now()
	}
	return time.Since(d.settled) >= settling
}

// lacking says which object of the cluster does not have the condition that all of its resource have to have; nil: none,
// or none lacked it before.
func (d *Door) lacking(conditions map[string]string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.settled.IsZero() {
		return nil
	}
	sim := d.cluster.store.Latest()
	for _, words := range slices.Sorted(maps.Keys(conditions)) {
		resource, _, err := sim.Resources().Find(words)
		if err != nil {
			return err
		}
		for o := range sim.State().List(resource.Kind.GroupKind(), "") {
			if why := lacks(o.Object, conditions[words]); why != "" {
				return fmt.Errorf("%s %q %s", resource.Kind.Kind, cluster.KeyOf(o.Object).Name, why)
			}
		}
	}
	return nil
}

// lacks says what an object lacks to have a condition; empty: nothing.
func lacks(object runtime.Object, condition string) string {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err.Error()
	}
	all, _, _ := unstructured.NestedSlice(content, "status", "conditions")
	for _, one := range all {
		if c, ok := one.(map[string]any); ok && c["type"] == condition {
			if c["status"] == string(metav1.ConditionTrue) {
				return ""
			}
			return fmt.Sprintf("is not %s: %v", condition, cmp.Or[any](c["message"], c["reason"]))
		}
	}
	return "is not " + condition + " yet"
}

// Close closes the port.
func (d *Door) Close() {
	if d.entrance != nil {
		_ = d.entrance.Close()
		_ = os.RemoveAll(d.folder)
	}
	if d.cluster != nil && d.living == nil {
		d.cluster.Close()
	}
}

// doorsOpen is what a cluster remembers by: the doors whose programs its requests come from.
const doorsOpen = "admsim:doors"

// simulatorOf answers the program's requests to the cluster that a call comes from.
func (d *Door) simulatorOf(from *dispatch.From) (*simulator.Simulator, error) {
	if from == nil { // a conversion, at a moment that nobody knows
		return simulator.New(simulator.Options{State: (&cluster.State{}).Remembering(doorsOpen, []*Door{d})})
	}
	inside, _ := from.State.Memory(doorsOpen).([]*Door)
	at, err := from.At(from.State.Remembering(doorsOpen, append(slices.Clip(inside), d)))
	if err != nil {
		return nil, err
	}
	sim, ok := at.(*simulator.Simulator)
	if !ok {
		return nil, fmt.Errorf("a call comes from a %T", at)
	}
	return sim, nil
}

// An account is who a program is in the cluster.
type account struct {
	namespace string
	user      authenticationv1.UserInfo
}

func accountOf(c dispatch.Call, s *cluster.State) account {
	namespace, name := "default", "default"
	if service := c.Client.Service; service != nil {
		namespace, name = service.Namespace, dependency.AccountBehind(s, service.Namespace, service.Name)
	}
	who := authenticationv1.UserInfo{
		Username: serviceaccount.MakeUsername(namespace, name),
		Groups:   append(serviceaccount.MakeGroupNames(namespace), user.AllAuthenticated),
	}
	if found, ok := cluster.Get[*corev1.ServiceAccount](s, schema.GroupKind{Kind: "ServiceAccount"}, namespace, name); ok {
		who.UID = string(found.UID)
	}
	return account{namespace, who}
}

// through is the door as its port has it.
type through struct{ *Door }

// Close ends watches, unless others have some, too.
func (d through) Close() {
	if d.living == nil {
		d.cluster.forks.Close()
	}
}

// ServeHTTP answers a request of the program.
func (d through) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !d.turn() {
		w.WriteHeader(http.StatusServiceUnavailable) // whoever asks is about to be asked again
		return
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && subtle.ConstantTimeCompare([]byte(given), []byte(d.token)) == 1 {
		d.as.ServeHTTP(w, r)
		return
	}
	d.cluster.forks.ServeHTTP(w, r)
}

// turn notes that the program has turned to the cluster. It is false where calls from several clusters are
// under way, and it cannot be told which of them it is about.
func (d *Door) turn() bool {
	if d.living != nil {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.turned {
		return true
	}
	d.turned = true
	var one *visit
	for v := range d.visits {
		if one != nil && one.from != v.from {
			for v := range d.visits {
				v.lost = true
				v.cancel()
			}
			return false
		}
		one = v
	}
	if one != nil {
		d.show(one.from)
	}
	return true
}

// isInside tells whether a call is made because of a request of the program itself.
func (d *Door) isInside(c dispatch.Call) bool {
	inside, _ := c.From.State.Memory(doorsOpen).([]*Door)
	return slices.Contains(inside, d)
}

// Call makes a call of the program.
func (d *Door) Call(ctx context.Context, c dispatch.Call, call func(context.Context) dispatch.Reply) dispatch.Reply {
	if d.living != nil || c.From == nil || d.isInside(c) {
		return call(ctx)
	}
	during, v, err := d.enter(ctx, c)
	if err != nil {
		return dispatch.Reply{Err: err}
	}
	reply := call(during)
	if reply.Changes = d.leave(v); v.lost {
		err := hint.Add(errors.New("its program reads the cluster while it is asked about several, and cannot say which one it means"),
			"name {{.Kubeconfig}} in its command or env, so that it is asked about one cluster at a time")
		reply.Err = &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: err.Error(), Err: err}
	}
	return reply
}

// enter waits until the program may be asked about the cluster of a call, and shows it that one.
func (d *Door) enter(ctx context.Context, c dispatch.Call) (context.Context, *visit, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for (d.turned || d.calls < probation) && d.isAskedElsewhere(c) {
		left := d.left
		d.mu.Unlock()
		select {
		case <-left:
		case <-ctx.Done():
		}
		d.mu.Lock()
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	during, cancel := context.WithCancel(ctx)
	v := &visit{from: c.From, cancel: cancel}
	d.visits[v] = true
	d.calls++
	if d.turned && len(d.visits) == 1 { // else those that are there see what it is about
		d.show(c.From)
	}
	return during, v, nil
}

// isAskedElsewhere tells whether the program is being asked about another cluster.
func (d *Door) isAskedElsewhere(c dispatch.Call) bool {
	for v := range d.visits {
		if v.from != c.From {
			return true
		}
	}
	return false
}

// show makes the cluster of the door the one that a call comes from.
func (d *Door) show(from *dispatch.From) {
	latest := d.cluster.store.Latest().State()
	if d.shown == from.State && d.at == latest.Writes() {
		return
	}
	d.note(latest)
	sim, err := d.simulatorOf(from)
	if err == nil {
		sim, err = sim.With(d.withOwn(sim.State()))
	}
	if err == nil {
		err = d.cluster.store.Become(sim)
	}
	if err != nil {
		d.warn(fmt.Errorf("showing a webhook the cluster: %w", err))
		return
	}
	d.begun = d.cluster.store.Latest().State()
	d.shown, d.at = from.State, d.begun.Writes()
	d.taken = d.at
}

// note keeps what the program has written since it was shown a cluster: before its first call all of it, then what
// it made of that. What it makes of an object of somebody else's belongs to the cluster that was shown.
func (d *Door) note(latest *cluster.State) {
	first := d.own == nil
	if first {
		d.own = map[cluster.Key]cluster.Object{}
	}
	for _, c := range cluster.Between(d.begun, latest) {
		if was, ours := d.own[c.Key]; first || ours && was.Object == c.Before.Object {
			d.own[c.Key] = c.After
		}
	}
}

// withOwn is a state with what the program wrote for itself, where nobody else has changed the object since.
func (d *Door) withOwn(state *cluster.State) *cluster.State {
	for key, object := range d.own {
		first, _ := d.opened.Find(key)
		if here, _ := state.Find(key); !isSame(here.Object, first.Object) {
			continue
		}
		if object.Object != nil {
			state = state.With(object)
		} else {
			state = state.Without(key)
		}
	}
	return state
}

// isSame reports whether two objects are the same but for what a server writes into them: each case of a suite may have
// its own copy of the world.
func isSame(a, b runtime.Object) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return equality.Semantic.DeepEqual(written(a), written(b))
}

func written(o runtime.Object) map[string]any {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil
	}
	content = maps.Clone(content)
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, name := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			delete(metadata, name)
		}
		content["metadata"] = metadata
	}
	return content
}

// leave ends a visit, and returns what the program has changed and nobody has taken yet.
func (d *Door) leave(v *visit) (changes []cluster.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v.cancel()
	delete(d.visits, v)
	if d.turned && d.shown != nil {
		events, upTo, _, err := d.cluster.store.Since(d.taken)
		if err != nil {
			d.warn(errors.Join(errors.New("a webhook changed too much while it was asked"), err))
		}
		for i := range events {
			changes = append(changes, events[i].Change)
		}
		d.taken = upTo
	}
	if len(d.visits) == 0 {
		close(d.left)
		d.left = make(chan struct{})
	}
	return changes
}
