package plugincall

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/admsim/admsim/pkg/dispatch"
)

// An Exchange is a request to the service that a plugin calls, with the answer.
type Exchange struct {
	Asked  json.RawMessage `json:"asked"`
	Code   int             `json:"code"`
	Type   string          `json:"type,omitempty"` // of the answer
	Answer string          `json:"answer,omitempty"`
}

// service answers as recorded, in the same order, and notes all other requests.
type service struct {
	known   []Exchange
	asked   int // number of the known exchanges that took place
	unknown []any
}

// Call implements [dispatch.Backend].
func (s *service) Call(_ context.Context, c dispatch.Call) dispatch.Reply {
	text, err := c.Body()
	var sent, want any
	if err == nil {
		err = json.Unmarshal(text, &sent)
	}
	if err == nil && s.asked < len(s.known) {
		err = json.Unmarshal(s.known[s.asked].Asked, &want)
	}
	switch {
	case err != nil:
		return dispatch.Reply{Err: fmt.Errorf("the body of the request: %w", err)}
	case s.asked == len(s.known) || !reflect.DeepEqual(sent, want):
		s.unknown = append(s.unknown, sent)
		return dispatch.Reply{Status: http.StatusNotFound}
	}
	e := s.known[s.asked]
	s.asked++
	return dispatch.Reply{Status: e.Code, Header: http.Header{"Content-Type": {e.Type}}, Body: []byte(e.Answer)}
}

// unasked returns the known requests that were not sent.
func (s *service) unasked() (missing []any) {
	for _, e := range s.known[s.asked:] {
		missing = append(missing, string(e.Asked))
	}
	return missing
}
