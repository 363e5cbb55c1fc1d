package etcd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// The path under which etcd keeps the objects of a kube-apiserver: GET returns all of them, POST adds some. Both use
// lines of JSON: the revision, then records.
const keptPath = "/admsim/objects"

// A revisionLine is the first line.
type revisionLine struct {
	Revision int64 `json:"revision"`
}

// A record is what is stored under a key. It has no object if that was deleted.
type record struct {
	cluster.Key
	Object json.RawMessage `json:",omitempty"`
}

// Storage is the client of an etcd.
type Storage struct {
	url    string
	client http.Client
	at     int64 // everything up to this revision was sent
}

// Open returns the storage for the first of the servers.
func Open(servers []string) (*Storage, error) {
	if len(servers) == 0 {
		return nil, hint.Add(errors.New("--etcd-servers must be specified"), "start etcd of the same folder first, and pass --etcd-servers=http://127.0.0.1:2379")
	}
	return &Storage{url: strings.TrimSuffix(servers[0], "/"), client: http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}}, nil
}

// send sends a request to etcd, and returns the answer.
func (s *Storage) send(ctx context.Context, method string, body io.Reader) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+keptPath, body)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, hint.Add(fmt.Errorf("etcd at %s is not admsim's", s.url), "start the program etcd of the same folder")
	}
	return answer.Body, nil
}

// Restore returns the cluster with the state in etcd. sim is a cluster that has just started. Definitions are restored
// first, since custom resources cannot be read without them.
func (s *Storage) Restore(ctx context.Context, sim *simulator.Simulator) (*simulator.Simulator, error) {
	kept, err := s.send(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	revision, records, err := readRecords(kept)
	if err != nil || len(records) == 0 {
		return sim, err
	}
	for _, definitions := range []bool{true, false} {
		state := sim.State()
		for _, r := range records {
			if (r.Kind == "CustomResourceDefinition") != definitions {
				continue
			}
			if state, err = r.restore(state, sim.View().Types()); err != nil {
				return nil, err
			}
		}
		if sim, err = sim.With(state.At(revision)); err != nil {
			return nil, err
		}
	}
	return sim, nil
}

func (r record) restore(state *cluster.State, types *objects.Types) (*cluster.State, error) {
	if r.Object == nil {
		return state.Without(r.Key), nil
	}
	var kind struct{ APIVersion, Kind string }
	if err := json.Unmarshal(r.Object, &kind); err != nil {
		return nil, err
	}
	object, _, err := types.Decode(r.Object, schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind), objects.Ignore)
	if err != nil {
		return nil, fmt.Errorf("%s %s/%s, as etcd has it: %w", r.Kind, r.Namespace, r.Name, err)
	}
	return state.With(cluster.Object{Object: object, Tracked: true}), nil
}

// Begin records what need not be sent to etcd. It must be called before the first write.
func (s *Storage) Begin(at *store.Store) { s.at = at.Latest().State().Writes() }

// batchDelay is how long writes are collected before they are sent.
const batchDelay = 20 * time.Millisecond

// retryPause is the pause before etcd is tried again after a failure.
const retryPause = time.Second

// Follow sends all writes to etcd until ctx is done, and finally the remaining ones. An etcd that was restarted in the
// meantime gets the whole state. The error is that of the last attempt.
func (s *Storage) Follow(ctx context.Context, from *store.Store) error {
	lost := false
	for {
		done := ctx.Err() != nil
		events, upTo, more, err := from.Since(s.at)
		if forgotten := (*store.ForgottenError)(nil); lost || errors.As(err, &forgotten) {
			events, upTo, err = everything(from)
		}
		if err == nil && len(events) > 0 {
			err = s.write(events, upTo)
		}
		wait := batchDelay
		if lost = err != nil; lost {
			wait = retryPause
		} else {
			s.at = upTo
		}
		if done && lost {
			return fmt.Errorf("what clients wrote is not kept: %w", err)
		}
		if done {
			return nil
		}
		if !lost {
			select {
			case <-more:
			case <-ctx.Done():
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// everything returns all objects of a cluster as if they had just been written.
func everything(from *store.Store) (all []store.Event, revision int64, err error) {
	sim := from.Latest()
	for o := range sim.State().All() {
		all = append(all, store.Event{Change: cluster.Change{Key: cluster.KeyOf(o.Object), After: o}, Types: sim.View().Types()})
	}
	return all, sim.State().Writes(), nil
}

// write sends the result of events, each object once.
func (s *Storage) write(events []store.Event, revision int64) error {
	last := map[cluster.Key]int{}
	for i := range events {
		last[events[i].Key] = i
	}
	var body bytes.Buffer
	to := json.NewEncoder(&body)
	if err := to.Encode(revisionLine{revision}); err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		if last[e.Key] != i {
			continue
		}
		r := record{Key: e.Key}
		if kept := e.After; kept.Object != nil {
			text, err := e.Types.Encode(kept.Stored())
			if err != nil {
				return err
			}
			r.Object = text
		}
		if err := to.Encode(r); err != nil {
			return err
		}
	}
	answer, err := s.send(context.Background(), http.MethodPost, &body)
	if err != nil {
		return err
	}
	return answer.Close()
}

// readRecords reads the revision and the records.
func readRecords(from io.Reader) (revision int64, all []record, err error) {
	d := json.NewDecoder(bufio.NewReader(from))
	var first revisionLine
	if err := d.Decode(&first); err != nil {
		return 0, nil, err
	}
	for {
		var r record
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF):
			return first.Revision, all, nil
		case err != nil:
			return 0, nil, err
		}
		all = append(all, r)
	}
}
