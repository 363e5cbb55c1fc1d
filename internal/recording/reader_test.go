package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// sample is part of the log of a real kube-apiserver 1.36.3 that answered scenarios of webhooks, including set-up and
// teardown.
const sample = "testdata/sample.log.gz"

func read(t *testing.T, o Options, paths ...string) (records []*Record) {
	t.Helper()
	sources, err := Find(paths, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
}

// Every event of a real log is a request, or has a reason why not; and only what is expected is unknown about the
// requests.
func TestSample(t *testing.T) {
	got := map[string]int{}
	for _, r := range read(t, Options{}, sample) {
		if !r.Runs() {
			got["skip "+string(r.Skip.Code)]++
			continue
		}
		got["runs"]++
		if (r.Request == nil) == (r.Review == nil) {
			t.Errorf("%s: Runs is true without a request", r.Position)
		}
		for _, u := range r.Unknown {
			got["unknown "+string(u.Code)]++
		}
		for _, c := range r.Calls {
			if c.Webhook == "" {
				t.Errorf("%s: a call without a webhook: %v", r.Position, c)
			}
			got["calls"]++
		}
		if _, why := LineOf(r); why.Code != "" {
			got["no line: "+string(why.Code)]++
		}
	}
	want := map[string]int{
		"runs":                       298,
		"skip not-final":             39,
		"skip read-only":             48,
		"calls":                      100,
		"unknown body-decoded":       135, // all creates and updates
		"unknown old-object-stale":   1,   // after a binding, which may have added labels of the node
		"unknown old-object-unknown": 5,   // objects created before the sample begins, and a collection
		"unknown patch-type-assumed": 5,
		"no line: no-review-form":    2, // the exec, and the collection
		"no line: old-object-needed": 11,
		"no line: patched-unknown":   3, // scale
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run that is interrupted anywhere and resumed after the last record handles every record exactly once, and knows as
// much about it as an uninterrupted run.
func TestResume(t *testing.T) {
	whole := transcript(t, mustFind(t, sample), Options{})
	records := read(t, Options{}, sample)
	for _, stop := range []int{0, 1, len(records) / 2, len(records) - 2} {
		var b strings.Builder
		for _, r := range records[:stop+1] {
			describe(&b, r)
		}
		for _, r := range read(t, Options{After: &records[stop].Position}, sample) {
			if r.Skip.Code != AlreadyRun {
				describe(&b, r)
			}
		}
		if b.String() != whole {
			t.Errorf("interrupted after %s: the two halves differ from the whole", records[stop].Position)
		}
	}
}

func mustFind(t *testing.T, paths ...string) []Source {
	t.Helper()
	sources, err := Find(paths, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// Each record belongs to exactly one shard, and that shard knows as much about it as an unsharded run.
func TestShardsAddUp(t *testing.T) {
	for _, o := range []Options{{}, {Filter: Filter{Limit: 50}}, {Filter: Filter{Sample: 0.5}}} {
		whole := map[string]string{}
		for _, r := range read(t, o, sample) {
			var b strings.Builder
			describe(&b, r)
			whole[r.String()] = b.String()
		}
		for i := range 8 {
			o.Filter.Shard = Shard{i, 8}
			for _, r := range read(t, o, sample) {
				if r.Skip.Code == OtherShard {
					continue
				}
				var b strings.Builder
				describe(&b, r)
				if diff := cmp.Diff(whole[r.String()], b.String()); diff != "" {
					t.Errorf("shard %d (-whole +shard):\n%s", i, diff)
				}
				delete(whole, r.String())
			}
		}
		if len(whole) > 0 {
			t.Errorf("in no shard: %d of %+v", len(whole), o.Filter)
		}
	}
}

func TestPackedAndFolders(t *testing.T) {
	text := []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}}` + "\n")
	var zipped, zstded bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprintf(z, "%s", text)
	z.Close()
	s, err := zstd.NewWriter(&zstded)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(s, "%s", text)
	s.Close()
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"b.json.gz": zipped.Bytes(), "c/d.jsonl.zst": zstded.Bytes(), "a.log": text, "misnamed.log": zipped.Bytes(), "readme.txt": []byte("no"),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range read(t, Options{}, dir, dir+"/a.log", dir+"/") { // a file that several paths name is read once
		name, _ := filepath.Rel(dir, r.File)
		got = append(got, fmt.Sprintf("%s:%d", name, r.Line))
	}
	want := []string{"a.log:1", "b.json.gz:1", "c/d.jsonl.zst:1", "misnamed.log:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cut := filepath.Join(t.TempDir(), "cut.log.gz")
	if err := os.WriteFile(cut, zipped.Bytes()[:zipped.Len()-6], 0o644); err != nil {
		t.Fatal(err)
	}
	sources := mustFind(t, cut)
	if got, want := transcript(t, sources, Options{}), "broken "+cut+":2: the compressed file ends early: unexpected EOF\n"; !strings.HasSuffix(got, want) {
		t.Errorf("a file that was cut off: got %q, want it to end with %q", got, want)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.log.gz")
	other := bytes.Clone(zipped.Bytes())
	other[len(other)-5]++ // in the checksum
	if err := os.WriteFile(damaged, other, 0o644); err != nil {
		t.Fatal(err)
	}
	sources = mustFind(t, damaged)
	if got, want := transcript(t, sources, Options{}), ": the compressed file is damaged, and so may be what was read of it: gzip: invalid checksum\n"; !strings.HasSuffix(got, want) {
		t.Errorf("a file with another checksum: got %q, want it to end with %q", got, want)
	}
	if _, err := Find([]string{t.TempDir()}, nil, nil); err == nil {
		t.Error("an empty folder is no error")
	}
}

// The memory of a forgotten object is released: a store holds no more than it may.
func TestMemoryIsBounded(t *testing.T) {
	m := newMemory(100 << 10)
	line := bytes.Repeat([]byte("x"), 4000)
	for i := range 10000 {
		m.Save(Key{Name: fmt.Sprint(i)}, Seen{Object: line[:2000]})
		if m.held > m.room || m.used.Len() != len(m.keys) || m.used.Len() > 60 {
			t.Fatalf("%d bytes of %d in %d objects", m.held, m.room, m.used.Len())
		}
	}
	seen, ok := m.Load(Key{Name: "9999"})
	if !ok || cap(seen.Object) >= 4000 {
		t.Errorf("the last one is known: %v, with %d bytes", ok, cap(seen.Object))
	}
	if _, ok := m.Load(Key{Name: "1"}); ok {
		t.Error("an old one was not forgotten")
	}
}

func TestFirstBrokenPieceEndsReading(t *testing.T) {
	r, err := NewReader([]Source{source("f.log", "{}\n")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next()
	want := `f.log:1: neither an admission review nor an audit event (kind "", apiVersion "")`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, again := r.Next(); again != err {
		t.Errorf("then %v, want the same", again)
	}
}

// A reader never panics or loops, whatever the input is, and reading ahead does not change what it returns.
func FuzzReader(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sources := []Source{source("f", string(data))}
		if alone, ahead := transcript(t, sources, Options{}), transcript(t, sources, Options{Ahead: 2}); alone != ahead {
			t.Fatal(cmp.Diff(alone, ahead))
		}
		for _, r := range readAll(t, sources) {
			LineOf(r)
			if r.Offset < 0 || r.Offset >= int64(len(data)) {
				t.Fatalf("offset %d of %d", r.Offset, len(data))
			}
		}
	})
}

func readAll(t *testing.T, sources []Source) (records []*Record) {
	r, err := NewReader(sources, Options{Broken: func(*BrokenError) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if err != nil {
			return records
		}
		records = append(records, rec)
	}
}

// A truncated compressed file is reported once, and everything before the end is read.
func TestCutOff(t *testing.T) {
	whole, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "audit.log.gz")
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	records := read(t, Options{Broken: func(e *BrokenError) error {
		said = append(said, string(e.Code)+": "+e.Err.Error())
		return nil
	}}, path)
	if diff := cmp.Diff([]string{"damaged: the compressed file ends early: unexpected EOF"}, said); diff != "" || len(records) == 0 {
		t.Errorf("%d records; broken (-want +got):\n%s", len(records), diff)
	}
}

// Logs that follow each other do not overlap, however long their requests took. If the logs of several API servers
// overlap, this is reported once.
func TestOverlap(t *testing.T) {
	event := func(came, answered string) string {
		return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete","verb":"get","requestReceivedTimestamp":"2026-11-21T%sZ","stageTimestamp":"2026-11-21T%sZ"}`+"\n", came, answered)
	}
	logs := []Source{
		source("a", event("03:00:00", "03:00:00")+event("03:05:00", "03:05:00")),
		source("watch", event("03:01:00", "03:06:00")),
		source("b", event("03:03:00", "03:03:00")),
		source("c", event("03:00:00", "03:00:00")),
	}
	var got []string
	r, err := NewReader(logs, Options{Overlap: func(earlier, source string) { got = append(got, earlier+" "+source) }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for err == nil {
		_, err = r.Next()
	}
	if diff := cmp.Diff([]string{"watch b"}, got); diff != "" || err != io.EOF {
		t.Errorf("%v, overlaps (-want +got):\n%s", err, diff)
	}
}

// The logs in a folder are read in the order in which they were written, whatever rotated them.
func TestRotatedLogs(t *testing.T) {
	dir := t.TempDir()
	want := []string{
		"a.log-20261120.gz", "a.log-20261121", "a.log", "audit-2026-11-20T07-00-00.000.log.gz", "audit-2026-11-21T07-00-00.000.log",
		"audit.log", "b.log.10.zst", "b.log.2", "b.log.1", "b.log",
	}
	for _, name := range append(want, "notes.txt", "b.log.old", "log.1") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, s := range mustFind(t, dir) {
		got = append(got, filepath.Base(s.Name))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
