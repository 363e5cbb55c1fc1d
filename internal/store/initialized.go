package store

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// Initialized waits until somebody has initialized the object that a request created, or the time of the request is over,
// and returns the answer (IN-10).
func (s *Store) Initialized(ctx context.Context, result *simulator.Result) (*simulator.Result, error) {
	if result.Waits == 0 {
		return result, nil
	}
	timer := time.NewTimer(result.Waits)
	defer timer.Stop()
	for at := result.State.Writes(); ; {
		changes, upTo, more, err := s.changes(result.State, at)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			answer, ended, err := result.Initialized(c)
			if err != nil {
				return nil, err
			}
			if !ended {
				continue
			}
			if answer.Code >= http.StatusBadRequest {
				if err := s.failed(result); err != nil {
					return nil, err
				}
			}
			latest := s.Latest()
			answer.State = latest.State()
			return &simulator.Result{Response: answer, Next: latest}, nil
		}
		at = upTo
		select {
		case <-more:
		case <-timer.C:
			return result, s.failed(result)
		case <-ctx.Done():
			if err := s.failed(result); err != nil {
				return nil, err
			}
			return nil, ctx.Err()
		}
	}
}

// failed changes the cluster because a request has waited in vain.
func (s *Store) failed(result *simulator.Result) error {
	if result.Failed == nil {
		return nil
	}
	return s.Write(func(now *simulator.Simulator) (*cluster.State, error) { return result.Failed(now.State()), nil })
}

// changes is [Store.Since] for those who know the cluster as it was once. If they were too slow, they get all changes since
// then, each object's as a single one.
func (s *Store) changes(once *cluster.State, revision int64) (changes []cluster.Change, upTo int64, more <-chan struct{}, err error) {
	events, upTo, more, err := s.Since(revision)
	for forgotten := (*ForgottenError)(nil); errors.As(err, &forgotten); {
		latest := s.Latest().State()
		changes = cluster.Between(once, latest)
		events, upTo, more, err = s.Since(latest.Writes())
	}
	changes = slices.Grow(changes, len(events))
	for i := range events {
		changes = append(changes, events[i].Change)
	}
	return changes, upTo, more, err
}
