package expression

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Time counts while an expression is evaluated, and only once if several are evaluated at the same time.
func TestLimitCountsEvaluations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limit{Context: t.Context(), most: 30 * time.Second}
		defer l.stop()
		sleeps := func(d time.Duration) func(context.Context) {
			return func(ctx context.Context) {
				select {
				case <-time.After(d):
				case <-ctx.Done():
				}
			}
		}
		if !l.during(sleeps(20 * time.Second)) {
			t.Error("20 s are too long")
		}
		time.Sleep(time.Hour) // the time of a webhook
		if !l.during(func(ctx context.Context) { l.during(sleeps(5 * time.Second)) }) {
			t.Error("25 s are too long, after an hour between them")
		}
		began := time.Now()
		if l.during(func(ctx context.Context) {
			if sleeps(time.Hour)(ctx); !errors.Is(context.Cause(ctx), errOutOfTime) {
				t.Errorf("the evaluation ended because of %v", context.Cause(ctx))
			}
		}) {
			t.Error("an hour is not too long")
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("an endless evaluation ended after %v, want the remaining 5 s", took)
		}
		if l.during(func(context.Context) {}) {
			t.Error("there is time left for another expression")
		}
	})
}

// A panic in an evaluation does not leave the clock running.
func TestLimitAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limit{Context: t.Context(), most: 30 * time.Second}
		defer l.stop()
		func() {
			defer func() { _ = recover() }()
			l.during(func(context.Context) { panic("oops") })
		}()
		time.Sleep(time.Hour)
		if !l.during(func(context.Context) {}) {
			t.Error("the time after the panic counts")
		}
	})
}

// An expression that takes too long ends the request, wherever the limit is in the chain of contexts.
func TestLimitEndsTheRequest(t *testing.T) {
	loops := strings.Repeat("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(i, ", 6) + "true" + strings.Repeat(")", 6)
	ctx, cancel := context.WithCancel(&limit{Context: t.Context(), most: time.Nanosecond})
	defer cancel()
	err := func() (err error) {
		defer bug.CatchStop(&err)
		New(kubeversion.Default()).Conditions([]admissionregistrationv1.MatchCondition{{Name: "c", Expression: loops}}).Evaluate(ctx, Input{})
		return nil
	}()
	var with *hint.Error
	if !errors.As(err, &with) || !strings.Contains(err.Error(), "take longer than 1ns") {
		t.Errorf("got %v, want an error with a hint about the time", err)
	}
}
