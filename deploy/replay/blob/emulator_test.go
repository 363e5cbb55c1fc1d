package main

import (
	"fmt"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// An emulator of a cloud has the bucket that a kustomization names. start returns the query to add to its URL so that a
// client finds the emulator.
type emulator struct {
	folder string // of the kustomization
	start  func(t *testing.T, bucket string) (query string)
}

var emulators = []emulator{
	{"../s3", func(t *testing.T, bucket string) string {
		backend := s3mem.New()
		if err := backend.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(gofakes3.New(backend).Server())
		t.Cleanup(server.Close)
		t.Setenv("AWS_ACCESS_KEY_ID", "id")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
		t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
		return "use_path_style=true&endpoint=" + server.URL
	}},
	{"../gcs", func(t *testing.T, bucket string) string {
		port := freePort(t)
		host := fmt.Sprintf("127.0.0.1:%d", port)
		server, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: port, PublicHost: host})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Stop)
		server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket})
		t.Setenv("STORAGE_EMULATOR_HOST", host)
		return "anonymous=true"
	}},
}

func freePort(t *testing.T) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// A recording is copied into the bucket of a kustomization, as README.md describes, and the container that fetches it
// in the Job's pods finds it there. What already exists is not copied again, unless it has changed.
func TestEmulators(t *testing.T) {
	for _, e := range emulators {
		t.Run(filepath.Base(e.folder), func(t *testing.T) {
			built := build(t, e.folder)
			named, _ := at(find(t, built, "ConfigMap", "bucket"), "data", "BUCKET").(string)
			u, err := url.Parse(named)
			if err != nil {
				t.Fatal(err)
			}
			u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+e.start(t, u.Host), "&")
			bucket := u.String()

			from := t.TempDir()
			write(t, from, recorded)
			earlier := time.Now().Add(-time.Minute) // times in S3 have seconds: files of the same second count as newer
			for name := range recorded {
				if err := os.Chtimes(filepath.Join(from, filepath.FromSlash(name)), earlier, earlier); err != nil {
					t.Fatal(err)
				}
			}
			if code, output := admsimBucket(t, from, bucket); code != 0 || !strings.Contains(output, "3 copied, 100019 bytes; 0 were there") {
				t.Fatalf("exit code %d: %s", code, output)
			}
			if code, output := admsimBucket(t, from, bucket); code != 0 || !strings.Contains(output, "0 copied, 0 bytes; 3 were there") {
				t.Errorf("again: exit code %d: %s", code, output)
			}

			to := t.TempDir()
			fetch := containers(find(t, built, "Job", "admsim-replay"), "initContainers")[0]
			var args []string
			for _, arg := range words(fetch["args"]) {
				args = append(args, strings.NewReplacer("$(BUCKET)", bucket, "/recording", to).Replace(arg))
			}
			if code, output := admsimBucket(t, args...); code != 0 {
				t.Fatalf("exit code %d: %s", code, output)
			}
			holds(t, to, recorded)

			if later := time.Now().Add(time.Minute); os.WriteFile(filepath.Join(from, "log", "audit.log"), []byte("[]\n"), 0o600) != nil ||
				os.Chtimes(filepath.Join(from, "log", "audit.log"), later, later) != nil {
				t.Fatal("the recording cannot be changed")
			}
			if code, output := admsimBucket(t, from, bucket); code != 0 || !strings.Contains(output, "1 copied, 3 bytes; 2 were there") {
				t.Errorf("changed: exit code %d: %s", code, output)
			}

			// Another prefix in the same bucket is another location.
			q := u.Query()
			q.Set("prefix", "other/")
			u.RawQuery = q.Encode()
			if code, output := admsimBucket(t, u.String(), t.TempDir()); code != 1 || !strings.Contains(output, "there is nothing in") {
				t.Errorf("another prefix: exit code %d: %s", code, output)
			}
		})
	}
}
