package conformance

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/dispatch"
)

// TestFaultsOverSockets plays the recorded faults with webhooks that are really called, so that a TLS server does what
// the mocks pretend.
func TestFaultsOverSockets(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for webhooks that hang")
	}
	notYet := listIn(t, recorded+"/not-yet.txt")
	played := 0
	for _, r := range all(t, recorded) {
		if !strings.HasPrefix(r.Theme(), "fault-") {
			continue
		}
		played++
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			// The recorded limits are seconds, which a busy machine may need anyway.
			var wrong []Outcome
			for try := 0; try == 0 || try < 4 && len(wrong) > 0; try++ {
				wrong = slices.DeleteFunc(play(t.Context(), &r, served(t, &r), nil), func(o Outcome) bool {
					return o.Agrees() || notYet[o.Name()]
				})
			}
			for _, o := range wrong {
				t.Errorf("%s differs from the server over a socket (-server +admsim):\n%s%s", o.Name(), o.Diff, o.Trace)
			}
		})
	}
	if played == 0 {
		t.Error("no recorded faults")
	}
}

// served runs the webhooks of a recording on a TLS server. They answer like their mocks, and the faults of connections
// really happen.
func served(t *testing.T, r *Recording) webhooks {
	t.Helper()
	handler, err := NewWebhooks(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, answers := range r.Webhooks {
		if len(answers) > 1 {
			t.Fatalf("%s has %d answers, but calls are not counted here", name, len(answers))
		}
	}
	authority, stranger := webhooktest.NewAuthority(t), webhooktest.NewAuthority(t)
	server := webhooktest.Serve(t, authority.Certificate(time.Hour, "127.0.0.1"), handler)
	client := dispatch.NewClient(dispatch.AllowNetwork(), dispatch.ClientOptions{Now: time.Now})
	t.Cleanup(func() {
		client.Close()
		if server.Accepted() == 0 {
			t.Errorf("%s: nobody connected to the webhooks", r.ID)
		}
	})

	return webhooks{
		backends: func(string, string) dispatch.Backend { return client },
		clientConfig: func(phase, webhook string) map[string]any {
			host, bundle := server.Address, authority.Bundle
			if r.HasFault(webhook, dispatch.Refuse) {
				host = "127.0.0.1:1"
			}
			if r.HasFault(webhook, dispatch.BadCA) {
				bundle = stranger.Bundle
			}
			return map[string]any{
				"url":      fmt.Sprintf("https://%s/%s/%s", host, phase, webhook),
				"caBundle": base64.StdEncoding.EncodeToString(bundle),
			}
		},
	}
}
