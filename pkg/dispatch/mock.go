package dispatch

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/patch"
)

// A Mock is a webhook whose answers are given as data.
//
// The first answer whose condition holds is used. If none does, answers without a condition are used in order: the
// first for the first call within one request, the second for the second, and the last for all further calls. A Mock
// may be used concurrently.
type Mock struct {
	answers []prepared
	when    []*expression.Predicate // nil if an answer has no condition
	counted []int                   // the indices of the answers without a condition
	used    []atomic.Bool
}

// NewMock returns a webhook with these answers. If there are none, it allows everything, and converts objects as
// apiVersionOnly does. Conditions are compiled with c, which may be nil if there are none.
func NewMock(c *expression.Compiler, answers ...Answer) (*Mock, error) {
	m := &Mock{
		answers: make([]prepared, len(answers)),
		when:    make([]*expression.Predicate, len(answers)),
		used:    make([]atomic.Bool, len(answers)),
	}
	for i, a := range answers {
		var err error
		if m.answers[i], err = a.prepare(); err != nil {
			return nil, fmt.Errorf("answer %d: %w", i+1, err)
		}
		if a.When == "" {
			m.counted = append(m.counted, i)
			continue
		}
		if c == nil {
			return nil, fmt.Errorf("answer %d: when: no compiler for it", i+1)
		}
		if m.when[i], err = c.Predicate(a.When); err != nil {
			return nil, fmt.Errorf("answer %d: when: %w", i+1, err)
		}
	}
	return m, nil
}

// Unused returns the indices of the answers that were never given.
func (m *Mock) Unused() []int {
	var unused []int
	for i := range m.used {
		if !m.used[i].Load() {
			unused = append(unused, i)
		}
	}
	return unused
}

// Call returns the answer to a call.
func (m *Mock) Call(ctx context.Context, c Call) Reply {
	i, err := m.choose(ctx, c)
	if err != nil {
		return Reply{Err: &NoAnswerError{c.Configuration, c.Webhook, err.Error(), err}}
	}
	answer := &allowAll
	if i >= 0 {
		m.used[i].Store(true)
		answer = &m.answers[i]
	}
	reply, err := answer.reply(c)
	if err != nil && i >= 0 {
		err = &AnswerError{i, err}
	}
	if err != nil {
		return Reply{Err: &NoAnswerError{c.Configuration, c.Webhook, err.Error(), err}}
	}
	return reply
}

// AnswersAtOnce returns true: the delay of a mock is only part of its answer.
func (m *Mock) AnswersAtOnce() bool { return true }

// allowAll is the answer of a mock without answers.
var allowAll = prepared{status: 200, response: []byte(`,"allowed":true`), converts: true}

// choose returns the index of the answer to c, or -1 if the mock has no answers.
func (m *Mock) choose(ctx context.Context, c Call) (int, error) {
	number := c.Before + c.Number
	for i, when := range m.when {
		if when == nil {
			continue
		}
		holds, err := holds(ctx, when, c, number+1)
		if err != nil {
			return 0, &AnswerError{i, fmt.Errorf("when: %w", err)}
		}
		if holds {
			return i, nil
		}
	}
	switch {
	case len(m.counted) > 0:
		return m.counted[min(number, len(m.counted)-1)], nil
	case len(m.answers) > 0:
		return 0, fmt.Errorf("no condition of its %d answers holds for call %d, and there is no answer without one", len(m.answers), number+1)
	}
	return -1, nil
}

// holds reports whether a condition holds for the n-th call.
func holds(ctx context.Context, when *expression.Predicate, c Call, n int) (bool, error) {
	if c.isSubjectReview() {
		review, err := c.subject()
		if err != nil {
			return false, err
		}
		return when.EvalSubject(ctx, review)
	}
	if c.Review == nil {
		return false, errors.New("a condition is about an AdmissionReview or a SubjectAccessReview, which this is not")
	}
	return when.Eval(ctx, input(c), n)
}

// An AnswerError reports that an answer cannot be used for a call, or that its condition could not be evaluated.
type AnswerError struct {
	Answer int   // its index
	Err    error // starts with the field of the answer that is wrong, if any
}

func (e *AnswerError) Error() string { return fmt.Sprintf("answer %d: %v", e.Answer+1, e.Err) }
func (e *AnswerError) Unwrap() error { return e.Err }

// input returns what a condition sees of a call: the same as the webhook.
func input(c Call) expression.Input {
	r := c.Review
	return expression.Input{Request: r.Request, Resource: r.Resource, Kind: r.Kind, Object: r.Object, OldObject: r.OldObject}
}

// reply returns the answer to c.
func (p *prepared) reply(c Call) (Reply, error) {
	var r Reply
	if p.fault.ends() {
		r = p.fault.reply(c)
	} else {
		uid := c.UID
		if p.fault == WrongUID {
			uid = "not-" + uid
		}
		body, err := p.bodyFor(c, uid)
		if err != nil {
			return r, err
		}
		if hasBody(p.status) {
			r.Body = body
		}
	}
	r.Status, r.Header = p.status, p.header
	if r.Latency == 0 {
		r.Latency = p.latency
	}
	return r, nil
}

func (p *prepared) bodyFor(c Call, uid types.UID) ([]byte, error) {
	switch {
	case p.body != nil:
		return p.body, nil
	case p.review != nil:
		return bytes.ReplaceAll(p.review, []byte("$uid"), []byte(uid)), nil
	case c.Version == ImageReviews:
		return p.imageReview()
	case c.isSubjectReview():
		return p.subjectReview(c.Version)
	case c.Review == nil && !(result{status: p.status}).isSuccess():
		return nil, nil // the status is enough for all callers
	case c.Review == nil && p.converts:
		return convertedReview(c, uid)
	case c.Review == nil:
		return nil, errors.New("a conversion webhook is answered with convert, raw, review or http")
	case p.response == nil && p.converts:
		return nil, errors.New("convert is only for conversion webhooks (NAME/conversion); this one was sent an AdmissionReview")
	}
	const start, middle = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/`, `","response":{"uid":"`
	b := make([]byte, 0, len(start)+len(c.Version)+len(middle)+len(uid)+len(p.response)+3)
	b = append(b, start...)
	b = append(b, c.Version...)
	b = append(b, middle...)
	b = append(b, uid...)
	b = append(b, '"')
	b = append(b, p.response...)
	if p.merge != nil {
		object, err := c.Review.ObjectJSON.text()
		if err != nil {
			return nil, err
		}
		encoded, err := mergeAsPatch(object, p.merge)
		if err != nil {
			return nil, err
		}
		b = append(b, encoded...)
	}
	return append(b, "}}"...), nil
}

// mergeAsPatch returns the part of a response that has the effect of a merge patch on object. If nothing would change
// there is no patch, as from a webhook that compares.
func mergeAsPatch(object, merge json.RawMessage) ([]byte, error) {
	if object == nil {
		return nil, errors.New("merge: the request has no object")
	}
	operations, err := patch.MergeToJSON(object, merge)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	if len(operations) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `,"patch":"%s","patchType":"JSONPatch"`, base64.StdEncoding.EncodeToString(text)), nil
}
