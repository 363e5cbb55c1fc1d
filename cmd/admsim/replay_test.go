package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/snapshot"
)

const realLog = "../../internal/replay/testdata/webhooks.log.gz"

// admsimOK runs the command in a process of its own; differences are not an error.
func admsimOK(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command("admsim", args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil && c.ProcessState.ExitCode() != exitDenied {
		t.Errorf("admsim %v: %v\n%s", args, err, &stderr)
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The umask decides who can read results in files, as for other commands.
func TestReplayFilesCanBeRead(t *testing.T) {
	dir := t.TempDir()
	usual := filepath.Join(dir, "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	page, lines := filepath.Join(dir, "page.html"), filepath.Join(dir, "lines.jsonl")
	admsimOK(t, "replay", realLog, "-o", "html="+page, "-o", "jsonl="+lines)
	for _, path := range []string{page, lines} {
		if got, want := mode(path), mode(usual); got != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(path), got, want)
		}
	}
}

// Eight shards, each in its own process, merge into exactly the bytes that one process writes.
func TestReplayShards(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.jsonl")
	want := admsimOK(t, "replay", realLog, "-j", "2", "-o", "json", "-o", "jsonl="+whole)

	args := []string{"report", "merge", "-o", "json", "-o", "jsonl=" + filepath.Join(dir, "merged.jsonl")}
	var wait sync.WaitGroup
	for i := range 8 {
		part := filepath.Join(dir, fmt.Sprintf("part-%d.jsonl", i))
		args = append(args, part)
		wait.Go(func() {
			admsimOK(t, "replay", realLog, "--shard", fmt.Sprintf("%d/8", i), "-o", "jsonl="+part)
		})
	}
	wait.Wait()
	if got := admsimOK(t, args...); !bytes.Equal(got, want) {
		t.Errorf("the merged summary is\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(read(t, filepath.Join(dir, "merged.jsonl")), read(t, whole)) {
		t.Error("the merged lines are not those of the single run")
	}
}

// A converted log replays like the log itself, with or without redaction.
func TestReplayConverted(t *testing.T) {
	if testing.Short() {
		t.Skip("package replay has the same goroutines, and tests that take less time")
	}
	of := func(log string) (sum lines.Summary) {
		if err := json.Unmarshal(admsimOK(t, "replay", log, "-o", "json"), &sum); err != nil {
			t.Fatal(err)
		}
		return sum
	}
	want := of(realLog)
	for name, more := range map[string][]string{"redacted": nil, "whole": {"--no-redact"}} {
		t.Run(name, func(t *testing.T) {
			reviews := filepath.Join(t.TempDir(), "reviews.jsonl")
			admsimOK(t, append([]string{"convert", "audit", realLog, "-o", reviews}, more...)...)
			got := of(reviews)
			if want.Ran() < 800 || got.Ran() != want.Ran() || got.Outcomes[lines.Agrees] != want.Outcomes[lines.Agrees] {
				t.Errorf("of the reviews %v, of the log %v", got.Outcomes, want.Outcomes)
			}
			if diff := cmp.Diff(want.CannotTell, got.CannotTell); diff != "" {
				t.Errorf("cannot tell (-log +reviews):\n%s", diff)
			}
		})
	}
}

// A run that is killed or interrupted in the middle and then resumed writes what an uninterrupted run does: nothing is
// lost, and nothing is written twice.
func TestReplayResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("package replay has the same goroutines, and tests that take less time")
	}
	dir := t.TempDir()
	log, whole := filepath.Join(dir, "audit.log"), filepath.Join(dir, "whole.jsonl")
	repeat(t, log, 3)
	want := admsimOK(t, "replay", log, "-o", "json", "-o", "jsonl="+whole)
	for _, signal := range []os.Signal{os.Kill, os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) { testResumed(t, signal, log, whole, want) })
	}
}

func testResumed(t *testing.T, signal os.Signal, log, whole string, want []byte) {
	dir := t.TempDir()
	lines, checkpoint := filepath.Join(dir, "lines.jsonl"), filepath.Join(dir, "checkpoint")
	args := []string{"replay", log, "--resume", checkpoint, "-o", "json", "-o", "jsonl=" + lines}
	for tries := 1; !endedInTheMiddle(t, signal, checkpoint, args); tries++ {
		if tries == 10 {
			t.Fatal("the run is over before it can be interrupted: make the log longer")
		}
		_ = os.Remove(checkpoint)
		_ = os.Remove(lines)
	}
	if got := admsimOK(t, args...); !bytes.Equal(got, want) {
		t.Errorf("the resumed run sums up\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(read(t, lines), read(t, whole)) {
		t.Error("the lines of the resumed run are not those of an uninterrupted one")
	}
	if again := admsimOK(t, args...); !bytes.Equal(again, want) {
		t.Error("resuming a finished run prints something else")
	}
}

// endedInTheMiddle runs the command until there is a checkpoint, sends the signal, and reports whether there was work
// left to do: on a busy machine, the run may already be over.
func endedInTheMiddle(t *testing.T, signal os.Signal, checkpoint string, args []string) bool {
	t.Helper()
	var stderr bytes.Buffer
	begun := exec.Command("admsim", args...)
	begun.Stderr = &stderr
	if err := begun.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- begun.Wait() }()
	there := func() bool { _, err := os.Stat(checkpoint); return err == nil }
	for !there() {
		select {
		case err := <-ended:
			if !there() {
				t.Fatalf("the run ended without a checkpoint: %v", err)
			}
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	time.Sleep(20 * time.Millisecond) // so that there are lines after the checkpoint
	_ = begun.Process.Signal(signal)
	<-ended
	if bytes.Contains(read(t, checkpoint), []byte(`"done":true`)) {
		return false
	}
	code := begun.ProcessState.ExitCode()
	if signal == os.Kill {
		return code == -1
	}
	if said := stderr.String(); code != exitUnknown || !strings.Contains(said, "admsim: error: interrupted after ") {
		t.Errorf("%v: exit code %d\n%s", signal, code, said)
	}
	return true
}

// repeat writes the real log the given number of times.
func repeat(t *testing.T, path string, times int) {
	t.Helper()
	f, err := os.Open(realLog)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Repeat(text, times), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The role in docs/replay.md is the one that admsim prints.
func TestSnapshotRole(t *testing.T) {
	role, _, _ := strings.Cut(snapshot.RBAC(), "---\n")
	if !bytes.Contains(read(t, "../../docs/replay.md"), []byte("```yaml\n"+role+"```")) {
		t.Errorf("docs/replay.md does not have this role:\n%s", role)
	}
}
