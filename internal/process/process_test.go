//go:build unix

package process

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/consent"
)

// The test binary is its own webhook: this variable selects its behaviour.
const behaviour = "ADMSIM_TEST_BEHAVIOUR"

func TestMain(m *testing.M) {
	if name := os.Getenv(behaviour); name != "" {
		behave(name, os.Args[1:])
	}
	os.Exit(m.Run())
}

// allowed returns the permission to start programs, and to pass these variables to them.
func allowed(pass ...string) consent.Exec {
	all, err := consent.New(consent.Options{Exec: consent.Yes, PassEnv: pass}).Exec(consent.Act{Program: []string{"webhook"}})
	check(err)
	return all
}

func command(arguments ...string) []string { return append([]string{os.Args[0]}, arguments...) }

func behaving(name string) []string { return []string{behaviour + "=" + name} }

// noLeaks fails the test if goroutines or folders are left at its end.
func noLeaks(t *testing.T) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		if !soon(func() bool { return runtime.NumGoroutine() <= before }) {
			stacks := make([]byte, 1<<16)
			t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "admsim-webhook-*"))
		if len(left) > 0 {
			t.Errorf("folders still exist: %v", left)
		}
	})
}

// soon reports whether something becomes true within seconds, long enough for a busy machine.
func soon(holds func() bool) bool {
	for range 2000 {
		if holds() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// get sends a request to the webhook as the API server would: by the name of the service.
func get(t *testing.T, p *Process, name, path string) (string, error) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CABundle())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name}, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	response, err := client.Get("https://" + p.Address() + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestStart(t *testing.T) {
	for _, c := range []struct {
		reason  string
		command []string
		options Options
		output  string
	}{
		{"configured by arguments", command("--port={{.Port}}", "--certs", "{{.CertDir}}"), Options{Env: behaving("serve")}, "serving\n"},
		{"configured by its environment", command(), Options{Env: behaving("serve")}, "serving\n"},
		{"a variable of its own", command(), Options{Env: append(behaving("own variable"), "WHERE={{.Address}}")}, "serving\n"},
		{"plain TCP", command(), Options{Env: behaving("plain"), Ready: TCP}, "listening\n"},
		{"its own certificate", command(), Options{Env: behaving("own certificate"), Ready: AnyTLS}, "serving\n"},
		{"it reports when it is ready", command(), Options{Env: behaving("ready later"), Ready: "http://127.0.0.1:{{.HealthPort}}/readyz"}, "ready\n"},
		{"it reports that where it serves", command(), Options{Env: behaving("own certificate"), Ready: "https://{{.Address}}/"}, "serving\n"},
		{"much output", command(), Options{Env: behaving("noisy")}, "serving\n"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			noLeaks(t)
			c.options.Hosts = certificate.ServiceNames("shop", "hook")
			p, err := Start(t.Context(), allowed(), c.command, c.options)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			if c.options.Ready == "" {
				for range 3 { // requests share the process
					if got, err := get(t, p, "hook.shop.svc", "/"); got != "hello" {
						t.Errorf("get = %q, %v", got, err)
					}
				}
			}
			soon(func() bool { return strings.HasSuffix(p.Output(), c.output) }) // it may listen before it says so
			p.Stop()
			p.Stop()
			if err := p.Err(); err != nil {
				t.Errorf("Err() = %v after Stop", err)
			}
			if got := p.Output(); !strings.HasSuffix(got, c.output) || len(got) > kept+100 {
				t.Errorf("Output() = %d bytes, ending with %q, want %q", len(got), got[max(0, len(got)-80):], c.output)
			}
		})
	}
}

// enoughToSpeak is how long a process may take to start and write a line, even on a busy machine.
const enoughToSpeak = 3 * time.Second

func TestStartFails(t *testing.T) {
	for _, c := range []struct {
		reason  string
		command []string
		options Options
		want    []string // parts of the error
	}{
		{"it never listens", command(), Options{Name: "hook", Env: behaving("silent"), StartTimeout: enoughToSpeak}, []string{"webhook hook does not answer on 127.0.0.1:", "after 3", "refused", "its last output:\n\tthinking"}},
		{"it accepts but does not answer", command(), Options{Env: behaving("plain"), StartTimeout: enoughToSpeak}, []string{"does not answer on", "its last output:\n\tlistening"}},
		{"it is never ready", command(), Options{Name: "hook", Env: behaving("never ready"), Ready: "http://localhost:{{.HealthPort}}/readyz", StartTimeout: enoughToSpeak}, []string{"webhook hook is not ready after 3", "/readyz answers 503 Service Unavailable: policies: 0 of 3 read"}},
		{"it exits at once", command(), Options{Name: "hook", Env: behaving("exit")}, []string{"webhook hook ended: exit status 3 before it answered", "its last output:\n\tno such flag\n\tusage: hook"}},
		{"it exits without output", command(), Options{Env: behaving("exit silently")}, []string{"ended: exit status 0 before", "it wrote nothing"}},
		{"a certificate of its own", command(), Options{Env: behaving("own certificate")}, []string{"a certificate that is not the one it was given", "unknown authority"}},
		{"no such file", []string{"./nowhere"}, Options{}, []string{"starting webhook ./nowhere: ", "no such file or directory"}},
		{"no such folder", command(), Options{Dir: "nowhere"}, []string{"no such file or directory"}},
		{"no such variable", command("{{.Prot}}"), Options{}, []string{`"{{.Prot}}"`, "Prot"}},
		{"no template", command("{{"), Options{}, []string{`"{{"`}},
		{"no command", nil, Options{}, []string{"there is no command"}},
		{"no such readiness", command(), Options{Ready: "http"}, []string{`"http" is not one of tls, anytls, tcp, and no URL`}},
		{"no variable in a readiness", command(), Options{Ready: "http://127.0.0.1:{{.Health}}/"}, []string{"there is no {{.Health}}"}},
		{"a readiness elsewhere", command(), Options{Ready: "http://192.0.2.1/"}, []string{"http://192.0.2.1/ is not on this machine"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			noLeaks(t)
			p, err := Start(t.Context(), allowed(), c.command, c.options)
			if err == nil {
				p.Stop()
				t.Fatal("Start succeeds")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Start() = %v, want %q", err, want)
				}
			}
		})
	}
}

// A program that already listens on the webhook's port is not mistaken for the webhook.
func TestPortInUse(t *testing.T) {
	noLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := Start(t.Context(), allowed(), command(), Options{Env: behaving("serve"), Port: l.Addr().(*net.TCPAddr).Port, Ready: TCP})
	if err == nil {
		p.Stop()
		t.Fatal("Start succeeds")
	}
	if want := "address already in use"; !strings.Contains(err.Error(), want) {
		t.Errorf("Start() = %v, want %q", err, want)
	}
}

// If a webhook dies between two requests, Err reports that with its output.
func TestDies(t *testing.T) {
	noLeaks(t)
	p, err := Start(t.Context(), allowed(), command(), Options{Name: "hook", Env: behaving("serve")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if err := p.Err(); err != nil {
		t.Errorf("Err() = %v while it runs", err)
	}
	if _, err := get(t, p, "localhost", "/die"); err == nil {
		t.Error("the request that kills it is answered")
	}
	<-p.Done()
	var ended *runError
	if !errors.As(p.Err(), &ended) {
		t.Fatalf("Err() = %v, want an *Error", p.Err())
	}
	if want := "webhook hook ended: exit status 4; its last output:\n\tserving\n\tdying"; ended.Error() != want {
		t.Errorf("Err() = %q, want %q", ended, want)
	}
	p.Stop()
	if p.Err() == nil {
		t.Error("Err() = nil after Stop")
	}
}

func TestCancelled(t *testing.T) {
	noLeaks(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, allowed(), command(), Options{Env: behaving("serve")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-p.Done()
	if err := p.Err(); err != nil {
		t.Errorf("Err() = %v, though it was stopped", err)
	}
}

func TestCancelledWhileItStarts(t *testing.T) {
	noLeaks(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, allowed(), command(), Options{Env: behaving("silent")})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start() = %v, want the end of the context", err)
	}
	cancel()
	if _, err := Start(ctx, allowed(), command(), Options{Env: behaving("silent")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start() = %v, want the end of the context", err)
	}
}

// A message shows only the end of the output.
func TestErrorIsShort(t *testing.T) {
	var output strings.Builder
	for i := range 100 {
		fmt.Fprintln(&output, i)
	}
	got := (&runError{Name: "hook", Problem: "ended: exit status 1", Output: output.String()}).Error()
	if strings.Contains(got, "\t79\n") || !strings.Contains(got, "\t80\n") || !strings.HasSuffix(got, "\t99") {
		t.Errorf("Error() = %s", got)
	}
}

// Nothing is started without permission.
func TestStartNeedsPermission(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	p, err := Start(t.Context(), consent.Exec{}, []string{"touch", marker}, Options{Ready: TCP})
	if err == nil {
		p.Stop()
		t.Error("Start() succeeded without permission")
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}
}

// A program gets the variables that few programs can do without, and others only by name.
func TestEnvironment(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "s3cret")
	t.Setenv("ADMSIM_TEST_PASSED", "on")
	p, err := Start(t.Context(), allowed("ADMSIM_TEST_PASSED", "ADMSIM_TEST_NOT_SET"), command(), Options{Env: behaving("environment")})
	if err == nil {
		p.Stop()
		t.Fatal("Start() succeeded")
	}
	for _, name := range []string{"PATH=", "ADMSIM_TEST_PASSED=on", "ADMSIM_PORT=", behaviour + "="} {
		if !strings.Contains(err.Error(), "\t"+name) {
			t.Errorf("the environment has no %s:\n%v", name, err)
		}
	}
	for _, name := range []string{"GITHUB_TOKEN", "s3cret", "NOT_SET"} {
		if strings.Contains(err.Error(), name) {
			t.Errorf("the environment has %s:\n%v", name, err)
		}
	}
}
