package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
)

var recorded = map[string]string{
	"log/audit.log":      "{}\n",
	"log/b/audit.log.gz": strings.Repeat("x", 100_000),
	"world/a b/ns.yaml":  "kind: Namespace\n",
}

func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// holds checks that a folder has exactly these files.
func holds(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found++
		name, _ := filepath.Rel(folder, path)
		text, err := os.ReadFile(path)
		if want, ok := files[filepath.ToSlash(name)]; !ok || string(text) != want {
			t.Errorf("%s has %d bytes, want %d", name, len(text), len(want))
		}
		return err
	})
	if err != nil || found != len(files) {
		t.Errorf("got %d files, want %d: %v", found, len(files), err)
	}
}

func admsimBucket(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	var stderr bytes.Buffer
	code = run(t.Context(), args, &stderr)
	return code, stderr.String()
}

// Files in a folder are copied to a bucket, below a prefix, and from there to another folder. What already exists is
// not copied again, unless it has changed.
func TestCopy(t *testing.T) {
	from, bucket, to := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "new")
	write(t, from, recorded)
	bucketURL := "file://" + filepath.ToSlash(bucket) + "?no_tmp_dir=true&metadata=skip&prefix=replay/"
	if code, output := admsimBucket(t, from, bucketURL); code != 0 || !strings.Contains(output, "3 copied, 100019 bytes; 0 were there") {
		t.Fatalf("exit code %d: %s", code, output)
	}
	write(t, bucket, map[string]string{"other/log/audit.log": "not of this one"})
	if code, output := admsimBucket(t, "-j", "1", bucketURL, to); code != 0 {
		t.Fatalf("exit code %d: %s", code, output)
	}
	holds(t, to, recorded)
	if code, output := admsimBucket(t, bucketURL, to); code != 0 || !strings.Contains(output, "0 copied, 0 bytes; 3 were there") {
		t.Errorf("again: exit code %d: %s", code, output)
	}

	changed := map[string]string{"log/audit.log": "[]\n"} // of the same size, but newer
	write(t, filepath.Join(bucket, "replay"), changed)
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(bucket, "replay", "log", "audit.log"), later, later); err != nil {
		t.Fatal(err)
	}
	if code, output := admsimBucket(t, bucketURL, to); code != 0 || !strings.Contains(output, "1 copied") {
		t.Errorf("changed: exit code %d: %s", code, output)
	}
	if text, err := os.ReadFile(filepath.Join(to, "log", "audit.log")); err != nil || string(text) != "[]\n" {
		t.Errorf("changed: %q, %v", text, err)
	}
}

// Names cannot lead out of the folder. A wrong checksum is an error, and so is a source that is empty or does not
// exist.
func TestNotCopied(t *testing.T) {
	source := memblob.OpenBucket(nil)
	defer source.Close()
	for _, key := range []string{"../../up", "/etc/passwd", "a/../../b"} {
		if err := source.WriteAll(t.Context(), key, []byte("x"), nil); err != nil {
			t.Fatal(err)
		}
	}
	outer := t.TempDir()
	inner := filepath.Join(outer, "a", "b")
	target, err := open(t.Context(), inner, true)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if err := (&result{}).all(t.Context(), source, target, 2); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(outer, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, inner+string(filepath.Separator)) {
			t.Errorf("%s was written", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}

	wrong := &blob.ListObject{Key: "../../up", Size: 2, MD5: make([]byte, 16)}
	if err := (&result{}).one(t.Context(), source, memblob.OpenBucket(nil), wrong); err == nil {
		t.Error("a wrong checksum is accepted")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := (&result{}).all(stopped, source, memblob.OpenBucket(nil), 2); err == nil {
		t.Error("copying continues after the context has ended")
	}

	for _, args := range [][]string{
		{t.TempDir(), t.TempDir()},
		{filepath.Join(t.TempDir(), "none"), t.TempDir()},
		{"gopher://bucket", t.TempDir()},
	} {
		if code, output := admsimBucket(t, args...); code != 1 || !strings.HasPrefix(output, "admsim-bucket: error: ") {
			t.Errorf("%q: exit code %d: %s", args, code, output)
		}
	}
	if code, output := admsimBucket(t, "one"); code != 2 || !strings.HasPrefix(output, "usage: ") {
		t.Errorf("exit code %d: %s", code, output)
	}
}

// Azure has no emulator in Go, so a handler speaks Azure's protocol, and its objects are copied. S3 and Google Cloud
// Storage are in emulator_test.go.
func TestAzure(t *testing.T) {
	cloud := http.NewServeMux()
	cloud.HandleFunc("GET /account/container", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<EnumerationResults><Blobs>`)
		listed(r.URL.Query().Get("prefix"), func(key, text string) {
			fmt.Fprintf(w, `<Blob><Name>%s</Name><Properties><Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified><Content-Length>%d</Content-Length></Properties></Blob>`, key, len(text))
		})
		fmt.Fprint(w, `</Blobs></EnumerationResults>`)
	})
	cloud.HandleFunc("GET /account/container/{key...}", serve)
	server := httptest.NewServer(cloud)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for key, value := range map[string]string{
		"AZURE_STORAGE_ACCOUNT": "account", "AZURE_STORAGE_KEY": "a2V5", "AZURE_STORAGE_PROTOCOL": "http", "AZURE_STORAGE_DOMAIN": host,
	} {
		t.Setenv(key, value)
	}
	to := t.TempDir()
	if code, output := admsimBucket(t, "azblob://container?prefix=replay/", to); code != 0 {
		t.Fatalf("exit code %d: %s", code, output)
	}
	holds(t, to, recorded)
}

// listed calls each for the objects whose key has a prefix.
func listed(prefix string, each func(key, text string)) {
	for name, text := range recorded {
		if key := "replay/" + name; strings.HasPrefix(key, prefix) {
			each(key, text)
		}
	}
	if strings.HasPrefix("other", prefix) {
		each("other", "")
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	text, ok := recorded[strings.TrimPrefix(r.PathValue("key"), "replay/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	fmt.Fprint(w, text)
}
