package selectors_test

import (
	"net/url"
	"testing"

	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The options of a list, which also apply to the deletion of a collection (W-019).
func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		query string
		limit int64
		want  string // the error
	}{
		{query: "limit=3", limit: 3},
		{query: "limit=x", want: `strconv.ParseInt: parsing "x": invalid syntax`},
		{query: "limit=", want: `strconv.ParseInt: parsing "": invalid syntax`},
		{query: "limit=x&timeoutSeconds=y", want: `strconv.ParseInt: parsing "y": invalid syntax`},
		{query: "limit=x&labelSelector=!!", want: `strconv.ParseInt: parsing "x": invalid syntax`},
		{query: "fieldSelector=spec.image=x&sendInitialEvents=", want: "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
		{query: "watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"},
	} {
		query, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		s, err := selectors.Parse(query, pods, "", kubeversion.Default())
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", tt.query, err, tt.want)
		}
		if got := s.Options.Limit; got != tt.limit {
			t.Errorf("%s: limit %d, want %d", tt.query, got, tt.limit)
		}
	}
}
