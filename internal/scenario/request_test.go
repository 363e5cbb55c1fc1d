package scenario

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/pkg/rest"
)

// The file request.yaml of each archive is read as requests. The golden text lists the requests, then the errors.
func TestRequests(t *testing.T) {
	golden.Folders(t, "testdata/requests/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		found, err := manifest.Load([]string{"requests"}, manifest.Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		requests, err := Requests(found, rest.Create, manifest.Options{FS: files})
		for _, r := range requests {
			describe(&b, r)
		}
		if err != nil {
			fmt.Fprintln(&b, err)
		}
		return b.String()
	})
}

func describe(b *strings.Builder, r Request) {
	fmt.Fprintf(b, "%s %s", r.Source, cmp.Or(r.Label, "-"))
	if r.Review != nil {
		fmt.Fprintf(b, " review %s of %s %s by %s\n", r.Review.Operation, r.Review.Resource.Resource, r.Review.Name, r.User.Username)
		return
	}
	fmt.Fprintf(b, " %s", r.Verb)
	for _, part := range []struct{ name, is string }{
		{"resource", r.Resource}, {"kind", r.Kind.Kind}, {"subresource", r.Subresource}, {"namespace", r.Namespace}, {"name", r.Name},
		{"patch", r.PatchType}, {"query", r.Query.Encode()}, {"body", string(r.Body)},
	} {
		if part.is != "" {
			fmt.Fprintf(b, " %s=%s", part.name, part.is)
		}
	}
	if r.User != nil {
		fmt.Fprintf(b, " user=%+v", *r.User)
	}
	if r.OldObject != nil {
		fmt.Fprintf(b, " old=%s at %s", r.OldObject, r.OldObject.Source)
	}
	b.WriteString("\n")
}
