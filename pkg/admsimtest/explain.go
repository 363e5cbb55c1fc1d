package admsimtest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/admsim/admsim/internal/inert"
)

// failing is implemented by [testing.T] and its replacements, such as GinkgoT().
type failing interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
}

// Explain logs what the server did to each request that changed something, if the test fails: which plugins, webhooks
// and policies saw it, what they changed, and who refused it. It is for tests against the kube-apiserver of admsim
// envtest; with another server it logs that nothing was recorded. config is that of an administrator:
//
//	admsimtest.Explain(t, env.Config)
//
// Call it once the server runs. It covers all requests from then until the test ends, including those of tests that run
// in parallel.
func Explain(t failing, config *rest.Config) {
	t.Helper()
	log, err := beginLog(config)
	if err != nil {
		t.Logf("admsimtest.Explain: %s", inert.Text(err.Error()))
		return
	}
	t.Cleanup(func() {
		text, err := log.end()
		switch {
		case !t.Failed():
		case err != nil:
			t.Logf("admsimtest.Explain: %s", inert.Text(err.Error()))
		case text == "":
			t.Logf("admsimtest.Explain: no request changed anything")
		default:
			t.Logf("what the server did:\n%s", text)
		}
	})
}

// A clientLog is the log that a server keeps for one client.
type clientLog struct {
	client *http.Client
	server string
	name   string
}

// logTimeout limits how long a server may take to answer; it may be shutting down, too.
const logTimeout = 5 * time.Second

func beginLog(config *rest.Config) (l clientLog, err error) {
	config = rest.CopyConfig(config)
	config.Timeout = logTimeout
	if l.client, err = rest.HTTPClientFor(config); err != nil {
		return l, err
	}
	l.server = strings.TrimSuffix(config.Host, "/")
	if !strings.Contains(l.server, "://") {
		l.server = "https://" + l.server
	}
	l.name, err = l.ask(http.MethodPost, "/logs", http.StatusCreated)
	return l, err
}

func (l clientLog) end() (string, error) {
	return l.ask(http.MethodDelete, "/logs/"+l.name, http.StatusOK)
}

func (l clientLog) ask(method, path string, want int) (string, error) {
	request, err := http.NewRequest(method, l.server+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := l.client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return "", err
	case answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusMethodNotAllowed:
		return "", errors.New("the server is not admsim's, and tells nothing")
	case answer.StatusCode != want:
		return "", fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, strings.TrimSpace(string(text)))
	}
	return string(text), nil
}
