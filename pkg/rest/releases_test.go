package rest

import (
	"testing"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// In 1.15 webhooks were not limited by the deadline of the request (W-031).
func TestDeadlineOfReleases(t *testing.T) {
	for version, limited := range map[string]bool{"1.15": false, "1.16": true, "1.36": true} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		x := newExchange(&Server{Release: release}, nil, Request{})
		if got := x.limit > 0; got != limited {
			t.Errorf("%s limits requests: %v, want %v", version, got, limited)
		}
	}
}
