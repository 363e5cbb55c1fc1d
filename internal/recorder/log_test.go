package recorder

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/admsim/admsim/internal/certificate"
)

func testPair(t *testing.T) certificate.Pair {
	t.Helper()
	authority, err := certificate.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue(time.Now(), certificate.Local()...)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// unpacked returns the decompressed contents of a log file.
func unpacked(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	switch filepath.Ext(path) {
	case ".zst":
		z, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	case ".gz":
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(text)
}

// readFiles reads all files of a log, whatever their order.
func readFiles(t *testing.T, path string) []recording {
	t.Helper()
	var all []recording
	for _, name := range list(t, filepath.Dir(path)) {
		all = append(all, readLines(t, strings.NewReader(unpacked(t, filepath.Join(filepath.Dir(path), name))))...)
	}
	return all
}

func uidOf(t *testing.T, one recording) string {
	t.Helper()
	var request struct{ UID string }
	if err := json.Unmarshal(one.Review["request"], &request); err != nil {
		t.Fatal(err)
	}
	return request.UID
}

func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestLog(t *testing.T) {
	for _, c := range []struct {
		reason   string
		name     string
		rotation Rotation
		before   []string // existing files, each with its name as its contents
		lines    int      // of ten bytes each, flushed one by one
		want     []string // the files, sorted by name
		first    string   // the first line of the first file
	}{
		{"one file", "rec.jsonl", Rotation{}, nil, 3, []string{"rec.jsonl"}, "line 0000"},
		{"full after two lines", "rec.jsonl", Rotation{Size: 20}, nil, 5, []string{"rec-000001.jsonl", "rec-000002.jsonl", "rec.jsonl"}, "line 0000"},
		{"only some are kept", "rec.jsonl", Rotation{Size: 20, Keep: 1}, nil, 5, []string{"rec-000002.jsonl", "rec.jsonl"}, "line 0002"},
		{"one that exists is set aside", "a.b.jsonl", Rotation{}, []string{"a.b.jsonl", "a.b-000007.jsonl", "a.b-7.jsonl", "other-000009.jsonl"}, 1, []string{"a.b-000007.jsonl", "a.b-000008.jsonl", "a.b-7.jsonl", "a.b.jsonl", "other-000009.jsonl"}, "a.b-000007.jsonl"},
		{"zstd", "rec.jsonl.zst", Rotation{}, nil, 3, []string{"rec.jsonl.zst"}, "line 0000"},
		{"zstd, rotated", "rec.jsonl.zst", Rotation{Size: 10}, nil, 2, []string{"rec-000001.jsonl.zst", "rec-000002.jsonl.zst", "rec.jsonl.zst"}, "line 0000"},
		{"gzip", "rec.gz", Rotation{Size: 10}, nil, 1, []string{"rec-000001.gz", "rec.gz"}, "line 0000"},
		{"no suffix", "rec", Rotation{Size: 20}, nil, 2, []string{"rec", "rec-000001"}, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			folder := t.TempDir()
			for _, name := range c.before {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(name+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			l, err := OpenLog(filepath.Join(folder, c.name), c.rotation)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i := range c.lines {
				line := fmt.Sprintf("line %04d\n", i)
				want = append(want, line)
				if err := l.Write([]byte(line)); err != nil {
					t.Fatal(err)
				}
				if err := l.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			names := list(t, folder)
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Error(diff)
			}
			var got []string
			for _, name := range names {
				got = append(got, strings.SplitAfter(unpacked(t, filepath.Join(folder, name)), "\n")...)
			}
			if got[0] != c.first+"\n" && c.first != "" {
				t.Errorf("the first line is %q, want %q", got[0], c.first)
			}
			if c.rotation.Keep == 0 {
				for _, line := range want {
					if !slices.Contains(got, line) {
						t.Errorf("%q is lost", line)
					}
				}
			}
		})
	}
}

// Flushed lines can be read even if nobody closes the file.
func TestFlushed(t *testing.T) {
	for _, name := range []string{"rec.jsonl", "rec.jsonl.zst", "rec.jsonl.gz"} {
		path := filepath.Join(t.TempDir(), name)
		l, err := OpenLog(path, Rotation{})
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Write([]byte("flushed\n"))
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = file
		switch filepath.Ext(path) {
		case ".zst":
			z, _ := zstd.NewReader(file)
			defer z.Close()
			r = z
		case ".gz":
			r, _ = gzip.NewReader(file)
		}
		got := make([]byte, len("flushed\n"))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != "flushed\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		_ = file.Close()
		_ = l.Close()
	}
}

func TestOpenLogFails(t *testing.T) {
	if _, err := OpenLog(filepath.Join(t.TempDir(), "nowhere", "rec.jsonl"), Rotation{}); err == nil {
		t.Error("OpenLog succeeds in a folder that does not exist")
	}
	if _, err := OpenLog(t.TempDir(), Rotation{}); err == nil {
		t.Error("OpenLog succeeds with a folder")
	}
}
