package recording

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/golden"
)

// Each file in testdata holds a log, how to read it, and the records in it.
func TestTranscripts(t *testing.T) {
	golden.Play(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		var sources []Source
		var o Options
		for _, f := range a.Files {
			switch f.Name {
			case "want":
			case "filter":
				o.Filter = filterOf(t, string(f.Data))
			default:
				sources = append(sources, source(f.Name, string(f.Data)))
			}
		}
		got := transcript(t, sources, o)
		for _, ahead := range []int{1, 2} {
			o.Ahead = ahead
			if diff := cmp.Diff(got, transcript(t, sources, o)); diff != "" {
				t.Errorf("reading with %d goroutines ahead gives another result:\n%s", ahead, diff)
			}
		}
		a.Whole(t, got)
	})
}

func source(name, text string) Source {
	return Source{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

func filterOf(t *testing.T, text string) (f Filter) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		key, value, _ := strings.Cut(line, " ")
		var err error
		switch key {
		case "since":
			f.Since, err = time.Parse(time.RFC3339, value)
		case "until":
			f.Until, err = time.Parse(time.RFC3339, value)
		case "namespace":
			f.Namespaces = append(f.Namespaces, value)
		case "resource":
			f.Resources = append(f.Resources, value)
		case "user":
			f.Users = append(f.Users, value)
		case "webhook":
			f.Webhooks = append(f.Webhooks, value)
		case "limit":
			_, err = fmt.Sscan(value, &f.Limit)
		case "shard":
			f.Shard, err = ParseShard(value)
		default:
			t.Fatalf("filter %q", key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// transcript returns everything that a reader returns, as text.
func transcript(t *testing.T, sources []Source, o Options) string {
	t.Helper()
	var b strings.Builder
	o.Broken = func(e *BrokenError) error {
		fmt.Fprintf(&b, "broken %s\n", e)
		return nil
	}
	r, err := NewReader(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		describe(&b, rec)
	}
}

func describe(b *strings.Builder, r *Record) {
	fmt.Fprintf(b, "%s %s %s %s", r.Position, r.Form, r.Verb, r.Key())
	if r.Subresource != "" {
		fmt.Fprintf(b, " /%s", r.Subresource)
	}
	fmt.Fprintf(b, " by %s", r.User.Username)
	if r.Latency != 0 {
		fmt.Fprintf(b, " in %s", r.Latency)
	}
	b.WriteString("\n")
	if !r.Runs() {
		fmt.Fprintf(b, "  skip %s\n", r.Skip)
	}
	if q := r.Request; q != nil {
		fmt.Fprintf(b, "  request %s %s %q/%q", q.Verb, q.Resource.GroupVersion(), q.Namespace, q.Name)
		if q.Subresource != "" {
			fmt.Fprintf(b, " /%s", q.Subresource)
		}
		fmt.Fprintf(b, " %s ?%s %s\n", q.PatchType, q.Query.Encode(), q.Body)
	}
	if v := r.Review; v != nil {
		fmt.Fprintf(b, "  review %s %s %s object %s old %s\n", v.Operation, v.Kind.Kind, v.Options.Raw, v.Object.Raw, v.OldObject.Raw)
	}
	if r.Old.Knowledge != Unseen {
		fmt.Fprintf(b, "  old %s %s\n", r.Old.Knowledge, r.Old.Object)
	}
	if r.Answer.Code != 0 {
		fmt.Fprintf(b, "  answer %d", r.Answer.Code)
		if s := r.Answer.Status; s != nil {
			fmt.Fprintf(b, " %s", s.Message)
		}
		b.WriteString("\n")
	}
	if a := r.Answer.Response; a != nil {
		fmt.Fprintf(b, "  response allowed %v patch %s warnings %q\n", a.Allowed, a.Patch, a.Warnings)
	}
	if r.Answer.Error != "" {
		fmt.Fprintf(b, "  error %s\n", r.Answer.Error)
	}
	for _, c := range r.Calls {
		fmt.Fprintf(b, "  call %s %d.%d %s/%s mutated %v %s", c.Phase, c.Round, c.Index, c.Configuration, c.Webhook, c.Mutated, c.Patch)
		if c.FailedOpen {
			b.WriteString(" failed open")
		}
		if c.Denied != "" || c.Failed != "" {
			b.WriteString(" ended the request")
		}
		b.WriteString("\n")
	}
	for _, e := range r.Effects {
		switch {
		case e.Unknown != "":
			fmt.Fprintf(b, "  after %s: unknown since %s\n", e.Key, e.Unknown)
		case e.Object == nil:
			fmt.Fprintf(b, "  after %s: gone\n", e.Key)
		default:
			fmt.Fprintf(b, "  after %s: %s\n", e.Key, e.Object)
		}
	}
	for _, u := range r.Unknown {
		fmt.Fprintf(b, "  unknown %s\n", u)
	}
}
