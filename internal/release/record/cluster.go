package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
)

// A baseline is the content of etcd right after the server started. It is restored between recordings.
type baseline struct {
	etcd   *reference.Etcd
	values map[string]reference.Value
}

// newBaseline waits until the server has nothing more to write.
func newBaseline(ctx context.Context, etcd *reference.Etcd) (*baseline, error) {
	b := &baseline{etcd: etcd}
	deadline := time.Now().Add(2 * time.Minute)
	for quiet := 0; quiet < 4; {
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the server never stops writing its own objects: etcd has %d keys", len(b.values))
		}
		time.Sleep(500 * time.Millisecond)
		values, err := etcd.All(ctx, "/registry/")
		if err != nil {
			return nil, err
		}
		if len(values) == len(b.values) && len(values) > 100 {
			quiet++
		} else {
			quiet = 0
		}
		b.values = values
	}
	return b, nil
}

// servers lists the folders in which the server's own controllers keep their objects.
var servers = []string{"leases", "masterleases", "events", "apiregistration.k8s.io", "flowschemas", "prioritylevelconfigurations"}

func isServers(key string) bool {
	folder, _, _ := strings.Cut(strings.TrimPrefix(key, "/registry/"), "/")
	return slices.Contains(servers, folder)
}

// restore restores the content of etcd. It bypasses the API, so neither finalizers nor webhooks interfere.
func (b *baseline) restore(ctx context.Context) (changed bool, err error) {
	values, err := b.etcd.All(ctx, "/registry/")
	if err != nil {
		return false, err
	}
	for key := range values {
		if _, ok := b.values[key]; ok || isServers(key) {
			continue
		}
		changed = true
		if err := b.etcd.Delete(ctx, key); err != nil {
			return changed, err
		}
	}
	for key, before := range b.values {
		if string(values[key].Value) == string(before.Value) || isServers(key) {
			continue
		}
		changed = true
		if err := b.etcd.Put(ctx, key, before.Value); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// ensure creates an object as the recording states it, and returns the object as this server stores it.
//
// The object is created through the API, so that the release adds what it adds to every new object. What a create
// cannot set (a status, that the object is being deleted, who requested it) is then written into etcd. So is an object
// that the server refuses to create.
func (p *play) ensure(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	stated := &unstructured.Unstructured{}
	if err := stated.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	r, err := p.resourceOf(ctx, stated)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s %s/%s", stated.GetKind(), stated.GetNamespace(), stated.GetName())
	path, key := r.path(stated.GetNamespace(), stated.GetName()), r.key(stated.GetNamespace(), stated.GetName())
	if _, ok := p.baseline.values[key]; ok { // one of the server's own, which the recording changed
		if err := p.write(ctx, key, stated, metav1.Now()); err != nil {
			return nil, err
		}
	} else {
		fresh := stated.DeepCopy()
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
			unstructured.RemoveNestedField(fresh.Object, "metadata", field)
		}
		if err := p.post(ctx, r, fresh); err != nil {
			p.remark("%s was written into etcd: %v", name, err)
			if err := p.write(ctx, key, stated, metav1.Now()); err != nil {
				return nil, err
			}
		}
	}
	if r.name == "customresourcedefinitions" {
		if err := p.established(ctx, r, stated.GetName()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	created, err := p.get(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	created.SetSelfLink("") // up to 1.19, answers have one; stored objects never do
	if carryOver(created.Object, stated.Object) {
		text, err := created.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if err := p.etcd.Put(ctx, key, text); err != nil {
			return nil, err
		}
		if created, err = p.get(ctx, path); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		created.SetSelfLink("")
	}
	return json.Marshal(p.normalize(created.Object))
}

// write writes an object into etcd as it is stated, with a new UID and creation time.
func (p *play) write(ctx context.Context, key string, stated *unstructured.Unstructured, now metav1.Time) error {
	object := stated.DeepCopy()
	object.SetUID(uuid.NewUUID())
	object.SetCreationTimestamp(now)
	object.SetResourceVersion("")
	if object.GetDeletionTimestamp() != nil {
		object.SetDeletionTimestamp(&now)
	}
	text, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	return p.etcd.Put(ctx, key, conformance.SelectedBy(text, object.GetUID()))
}

// carryOver changes a created object where the stated one differs. It does not add what the create dropped, which this
// release may not know, except for what no create can set.
func carryOver(created, stated map[string]any) (changed bool) {
	status, before := stated["status"], conformance.Normalize((&unstructured.Unstructured{Object: created}).DeepCopy().Object).(map[string]any)["status"]
	if !reflect.DeepEqual(status, before) && status != nil {
		created["status"], changed = status, true
	}
	to, _ := created["metadata"].(map[string]any)
	from, _ := stated["metadata"].(map[string]any)
	for _, field := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		if v, ok := from[field]; ok && to[field] == nil {
			to[field], changed = v, true
		}
	}
	for field, v := range stated {
		if field != "status" && field != "metadata" {
			changed = overwrite(created, field, v) || changed
		}
	}
	for field, v := range from {
		if field != "uid" && field != "resourceVersion" && field != "creationTimestamp" {
			changed = overwrite(to, field, v) || changed
		}
	}
	return changed
}

// overwrite changes the values that both have.
func overwrite(in map[string]any, field string, v any) (changed bool) {
	existing, ok := in[field]
	if !ok || reflect.DeepEqual(existing, v) || reflect.DeepEqual(conformance.Normalize(deepCopy(existing)), v) {
		return false
	}
	members, both := v.(map[string]any)
	if within, ok := existing.(map[string]any); ok && both {
		for name, member := range members {
			changed = overwrite(within, name, member) || changed
		}
		return changed
	}
	list, both := v.([]any)
	if within, ok := existing.([]any); ok && both && len(list) == len(within) {
		for i := range list {
			holder := map[string]any{"": within[i]}
			changed = overwrite(holder, "", list[i]) || changed
			within[i] = holder[""]
		}
		return changed
	}
	in[field] = v
	return true
}

func deepCopy(v any) any {
	return (&unstructured.Unstructured{Object: map[string]any{"": v}}).DeepCopy().Object[""]
}

// established waits until a definition is served. Then it makes the definition old: a server waits for two seconds before
// it creates an object of a resource that has just been established.
func (p *play) established(ctx context.Context, r resource, name string) error {
	for range 100 {
		definition, err := p.get(ctx, r.path("", name))
		if err != nil {
			return err
		}
		if _, ok := establishedAmong(definition.Object); ok {
			return p.makeOld(ctx, r.key("", name))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the definition is not established")
}

// makeOld moves the time at which a stored definition was established into the past, unless it is there already.
func (p *play) makeOld(ctx context.Context, key string) error {
	for {
		stored, err := p.etcd.All(ctx, key)
		if err != nil {
			return err
		}
		object := map[string]any{}
		decoder := json.NewDecoder(bytes.NewReader(stored[key].Value))
		decoder.UseNumber() // schemas have numbers that no float64 can hold
		if err := decoder.Decode(&object); err != nil {
			return fmt.Errorf("etcd does not have the definition as JSON: %w", err)
		}
		condition, ok := establishedAmong(object)
		since, _ := condition["lastTransitionTime"].(string)
		if at, err := time.Parse(time.RFC3339, since); !ok || err != nil || time.Since(at) > 10*time.Second {
			return nil
		}
		condition["lastTransitionTime"] = time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		if written, err := p.etcd.Replace(ctx, key, stored[key], text); written || err != nil {
			return err
		}
	}
}

// establishedAmong returns the condition of a definition that says that it is served.
func establishedAmong(definition map[string]any) (condition map[string]any, ok bool) {
	status, _ := definition["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok && condition["type"] == "Established" && condition["status"] == "True" {
			return condition, true
		}
	}
	return nil, false
}
