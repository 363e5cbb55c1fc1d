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

// A Door lets the program of a webhook access the cluster that calls it. During a call, the program sees the cluster as
// it is at that very step of the request. What the program changes is in the reply.
//
// A program cannot tell which call its requests belong to. So it is called for one cluster at a time: calls from other
// clusters wait, and their deadlines begin when the wait is over. Only a program that has not used the cluster in its
// first calls is called concurrently. If it uses the cluster later, during calls from several clusters, nobody can tell
// which cluster it should see, and these calls have no answer.
//
// A watch sees the differences between one cluster and the next as if somebody had written them. What the program wrote
// before its first call, such as a certificate, its leader election lease or the status of its policies, it finds in
// all clusters as it last wrote it, unless a cluster has a different object there. Requests do not see these objects.
type Door struct {
	warn func(error)

	// served is the cluster of a server, which always is the same one. Nil: the cluster follows the calls.
	served *Cluster

	cluster  *Cluster
	entrance *door.Entrance
	folder   string // holds the files with which the program connects
	token    string
	as       http.Handler // for clients with the token

	mu          sync.Mutex
	usesCluster bool            // the program has used the cluster, or declares that it will
	calls       int             // number of calls so far
	visits      map[*visit]bool // calls in progress
	left        chan struct{}   // closed when the last of them ends
	awaited     bool            // a call has waited for what the program writes before its first call
	settled     time.Time       // when all of that was found

	opened *cluster.State                 // the cluster before the program used it
	begun  *cluster.State                 // the cluster as last shown, or opened
	own    map[cluster.Key]cluster.Object // what the program wrote before its first call, as last written; deleted: no object
	shown  *cluster.State                 // the state that was shown
	at     int64                          // the revision of the cluster when it was shown
	taken  int64                          // changes up to this revision are in replies
}

// probation is the number of calls after which a program is assumed not to use the cluster.
const probation = 20

// A visit is one call of the program.
type visit struct {
	from      *dispatch.From
	cancel    context.CancelFunc
	ambiguous bool // it is unclear which cluster the program should see
}

// NewDoor returns a door to whichever cluster calls.
func NewDoor(warn func(error)) *Door {
	return &Door{warn: warn, visits: map[*visit]bool{}, left: make(chan struct{})}
}

// NewDoorTo returns a door to this cluster, which programs see in its latest state.
func NewDoorTo(c *Cluster) *Door { return &Door{served: c} }

// Open opens a port for a program before its first call. reads tells that the program is known to use the cluster. The
// program gets the service account that the pods behind its webhook's Service run as.
func (d *Door) Open(first dispatch.Call, reads bool) (server, folder string, err error) {
	d.usesCluster = reads
	if d.cluster = d.served; d.cluster == nil {
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
	if d.entrance, err = door.Open(At{Kubeconfig: filepath.Join(folder, "kubeconfig"), Token: d.token}, portHandler{d}); err != nil {
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

// Await waits until all objects of these resources have a condition, which the program sets. Once they have had it,
// later calls do not wait. Calls about what the program itself writes do not wait, either. For a served cluster it is
// unknown which calls these are, so only the first call waits.
func (d *Door) Await(ctx context.Context, c dispatch.Call, conditions map[string]string, limit time.Duration) error {
	d.mu.Lock()
	first := !d.awaited
	d.awaited = true
	d.mu.Unlock()
	if d.served != nil && !first || d.served == nil && d.isInside(c) {
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
	// awaitPause is the interval at which the awaited conditions are checked.
	awaitPause = 20 * time.Millisecond

	// settling is how long a program gets after that, since it may act on its own conditions when it sees them in a
	// watch.
	settling = 300 * time.Millisecond
)

// hasSettled reports whether the settling time has passed since the awaited conditions were first found.
func (d *Door) hasSettled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.settled.IsZero() {
		d.settled = time.Now()
	}
	return time.Since(d.settled) >= settling
}

// lacking returns an error about an object that lacks a condition which all objects of its resource need, or nil. Once
// no object has lacked any, it always returns nil.
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

// lacks returns what an object lacks to have a condition, or "".
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
	if d.cluster != nil && d.served == nil {
		d.cluster.Close()
	}
}

// doorsOpen is the key under which a cluster remembers the doors whose programs its requests come from.
const doorsOpen = "admsim:doors"

// simulatorOf returns a simulator for the program's requests to the cluster that a call comes from.
func (d *Door) simulatorOf(from *dispatch.From) (*simulator.Simulator, error) {
	if from == nil { // a conversion, whose time is unknown
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

// An account is the identity of a program in the cluster.
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

// portHandler is a door as a handler for its port.
type portHandler struct{ *Door }

// Close ends watches, unless the cluster has other clients.
func (d portHandler) Close() {
	if d.served == nil {
		d.cluster.forks.Close()
	}
}

// ServeHTTP answers a request of the program.
func (d portHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !d.noteUse() {
		w.WriteHeader(http.StatusServiceUnavailable) // the program is about to be called again
		return
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && subtle.ConstantTimeCompare([]byte(given), []byte(d.token)) == 1 {
		d.as.ServeHTTP(w, r)
		return
	}
	d.cluster.forks.ServeHTTP(w, r)
}

// noteUse records that the program has used the cluster. It returns false if calls from several clusters are in
// progress, so that it is unclear which cluster the program should see.
func (d *Door) noteUse() bool {
	if d.served != nil {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.usesCluster {
		return true
	}
	d.usesCluster = true
	var one *visit
	for v := range d.visits {
		if one != nil && one.from != v.from {
			for v := range d.visits {
				v.ambiguous = true
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

// isInside reports whether a call results from a request of the program itself.
func (d *Door) isInside(c dispatch.Call) bool {
	inside, _ := c.From.State.Memory(doorsOpen).([]*Door)
	return slices.Contains(inside, d)
}

// Call calls the program.
func (d *Door) Call(ctx context.Context, c dispatch.Call, call func(context.Context) dispatch.Reply) dispatch.Reply {
	if d.served != nil || c.From == nil || d.isInside(c) {
		return call(ctx)
	}
	during, v, err := d.enter(ctx, c)
	if err != nil {
		return dispatch.Reply{Err: err}
	}
	reply := call(during)
	if reply.Changes = d.leave(v); v.ambiguous {
		err := hint.Add(errors.New("its program reads the cluster while it is asked about several, and cannot say which one it means"),
			"name {{.Kubeconfig}} in its command or env, so that it is asked about one cluster at a time")
		reply.Err = &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: err.Error(), Err: err}
	}
	return reply
}

// enter waits until the program may be called for the cluster of a call, and shows it that cluster.
func (d *Door) enter(ctx context.Context, c dispatch.Call) (context.Context, *visit, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for (d.usesCluster || d.calls < probation) && d.isAskedElsewhere(c) {
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
	if d.usesCluster && len(d.visits) == 1 { // otherwise the program already sees that cluster
		d.show(c.From)
	}
	return during, v, nil
}

// isAskedElsewhere reports whether the program is being called for another cluster.
func (d *Door) isAskedElsewhere(c dispatch.Call) bool {
	for v := range d.visits {
		if v.from != c.From {
			return true
		}
	}
	return false
}

// show makes the cluster of a call the one that the program sees.
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

// note records what the program has written since a cluster was shown: before its first call everything, later only its
// changes to that. Its changes to other objects belong to the cluster that was shown.
func (d *Door) note(latest *cluster.State) {
	first := d.own == nil
	if first {
		d.own = map[cluster.Key]cluster.Object{}
	}
	for _, c := range cluster.Between(d.begun, latest) {
		if last, ours := d.own[c.Key]; first || ours && last.Object == c.Before.Object {
			d.own[c.Key] = c.After
		}
	}
}

// withOwn returns a state with what the program wrote for itself, except for objects that somebody else has changed
// since.
func (d *Door) withOwn(state *cluster.State) *cluster.State {
	for key, object := range d.own {
		first, _ := d.opened.Find(key)
		if current, _ := state.Find(key); !isSame(current.Object, first.Object) {
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

// isSame reports whether two objects are the same, except for the fields that a server sets: each case of a suite may
// have its own copy of the world.
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

// leave ends a visit, and returns the program's changes that have not been returned yet.
func (d *Door) leave(v *visit) (changes []cluster.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v.cancel()
	delete(d.visits, v)
	if d.usesCluster && d.shown != nil {
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
