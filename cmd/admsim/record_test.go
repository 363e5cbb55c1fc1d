package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

// recordFor is how long TestRecordUnderLoad calls the recorder: go test -run Record -record-for 30s
var recordFor = flag.Duration("record-for", time.Second, "how long the recorder is called in TestRecordUnderLoad")

// posts is a command of the scripts: it posts a file to the webhook of a configuration, waiting for the configuration,
// trusting its CA bundle, and prints the answer.
//
//	posts CONFIG FILE
func posts() {
	client, url, err := caller(os.Args[1])
	if err != nil {
		panic(err)
	}
	body, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d %s\n", response.StatusCode, text)
}

// locates is a command of the scripts: it sets a variable to the address of the webhook of a configuration.
//
//	locates NAME CONFIG
func locates(s *testscript.TestScript, _ bool, args []string) {
	_, address, err := caller(s.MkAbs(args[1]))
	s.Check(err)
	u, err := url.Parse(address)
	s.Check(err)
	s.Setenv(args[0], "https://"+u.Host)
}

// caller returns a client that calls the first webhook of a configuration as an API server would, and its URL.
func caller(path string) (*http.Client, string, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(path)
		var config admissionregistrationv1.ValidatingWebhookConfiguration
		if err == nil {
			err = yaml.Unmarshal(bytes.Split(text, []byte("---\n"))[0], &config)
		}
		if err == nil && len(config.Webhooks) > 0 {
			client := config.Webhooks[0].ClientConfig
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(client.CABundle)
			return &http.Client{Transport: &http.Transport{
				TLSClientConfig:     &tls.Config{RootCAs: roots},
				MaxIdleConnsPerHost: 64,
			}}, *client.URL, nil
		}
		if time.Since(began) > time.Minute {
			return nil, "", fmt.Errorf("there is no configuration in %s: %v", path, err)
		}
	}
}

// Under many parallel callers, and with a SIGTERM in the middle, every call that is answered is in the recording
// exactly once.
func TestRecordUnderLoad(t *testing.T) {
	folder := t.TempDir()
	config, output := filepath.Join(folder, "config.yaml"), filepath.Join(folder, "rec.jsonl.zst")
	record := &exec.Cmd{
		Path: os.Args[0],
		Args: []string{"admsim", "record", "--listen", "127.0.0.1:0", "--write-config", config, "-o", output, "--rotate-size", "1Mi"},
	}
	var said strings.Builder
	record.Stderr = &said
	if err := record.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = record.Process.Kill() }()
	client, url, err := caller(config)
	if err != nil {
		t.Fatal(err)
	}
	answered := callUntilClosed(t, client, url, func() {
		time.AfterFunc(*recordFor, func() { _ = record.Process.Signal(syscall.SIGTERM) })
	})
	if err := record.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	seen := map[string]int{}
	files, err := filepath.Glob(filepath.Join(folder, "rec*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		uids(t, file, seen)
	}
	if len(answered) == 0 {
		t.Fatalf("no call was answered: %s", &said)
	}
	for _, uid := range answered {
		if seen[uid] != 1 {
			t.Errorf("%s is recorded %d times", uid, seen[uid])
		}
	}
	if want := fmt.Sprintf("admsim: end of recording: %d recorded, 0 shed, 0 failed\n", len(seen)); !strings.HasSuffix(said.String(), want) {
		t.Errorf("it says %q, want %q", &said, want)
	}
	t.Logf("%d calls answered, %d recorded in %d files", len(answered), len(seen), len(files))
}

// callUntilClosed sends calls from 64 goroutines until the server no longer answers, and returns the UIDs that were
// answered. It calls first after the first answer.
func callUntilClosed(t *testing.T, client *http.Client, url string, first func()) []string {
	var (
		next     atomic.Int64
		mutex    sync.Mutex
		answered []string
		callers  sync.WaitGroup
	)
	for range 64 {
		callers.Go(func() {
			for {
				uid := fmt.Sprintf("uid-%d", next.Add(1))
				review := fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":%q,"kind":{"group":"","version":"v1","kind":"Secret"},"operation":"CREATE","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"b"},"data":{"a":"aHVudGVyMg=="}}}}`, uid)
				response, err := client.Post(url, "application/json", strings.NewReader(review))
				if err != nil {
					return
				}
				text, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil || response.StatusCode == http.StatusServiceUnavailable {
					return
				}
				if !strings.Contains(string(text), uid) {
					t.Errorf("%s is answered with %d %s", uid, response.StatusCode, text)
				}
				mutex.Lock()
				if answered = append(answered, uid); len(answered) == 1 {
					first()
				}
				mutex.Unlock()
			}
		})
	}
	callers.Wait()
	return answered
}

// uids counts the reviews in a file.
func uids(t *testing.T, file string, seen map[string]int) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		var line struct {
			Review struct{ Request struct{ UID string } }
			End    any
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(lines.Bytes(), []byte("aHVudGVyMg==")) {
			t.Fatalf("a secret: %s", lines.Bytes())
		}
		if line.End == nil {
			seen[line.Review.Request.UID]++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
