package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/dispatch"
)

// A Backend says what answers for a webhook: one of Answers, Command, URL and Live is set.
type Backend struct {
	Webhook string // its name, or configuration/name; globs allowed
	Source  manifest.Source

	Answers []Answer // of a mock
	Command *Command // a program to start
	URL     string   // the address of a running webhook
	Live    bool     // call the webhook at the address in its configuration

	Insecure bool // accept any certificate
}

// A Command is the program of a webhook, and how to start it. Its templates are those of package process.
type Command struct {
	Args         []string
	Env          []string // NAME=value
	Dir          string   // as written; empty: the folder of the file
	Ready        string   // tls, anytls, tcp or a URL; empty: tls
	Port         int      // the port that it listens on, if the command does not get one
	StartTimeout time.Duration
	Until        map[string]string // by resource: a condition that all of its objects must have
}

// Folder returns the folder that the program of b runs in.
func (b Backend) Folder() string {
	if filepath.IsAbs(b.Command.Dir) {
		return b.Command.Dir
	}
	return filepath.Join(filepath.Dir(b.Source.File), b.Command.Dir)
}

// Backends are the contents of all documents of kind Backends.
type Backends struct {
	List     []Backend // the first backend whose name matches answers
	Services map[string]Service
}

// A Service is the real address of a service of the cluster.
type Service struct {
	Address string // host:port
	Source  manifest.Source
}

// readBackends reads a document of kind Backends into b.
func readBackends(m *manifest.Manifest, b *Backends, errs *manifest.Errors) {
	v := manifest.Form(m, errs)
	v.Mapping("apiVersion", "kind", "metadata", "backends", "services")
	if len(v.At("backends").List()) == 0 && !v.At("services").Given() {
		v.Errorf("list the webhooks under backends", "no backends")
	}
	b.read(v)
}

// read reads the backends and services of v.
func (b *Backends) read(v manifest.Value) {
	first := map[string]manifest.Value{}
	for _, one := range v.At("backends").List() {
		backend, ok := readBackend(one)
		if !ok {
			continue
		}
		if earlier, twice := first[backend.Webhook]; twice && backend.Webhook != "" {
			one.At("webhook").Errorf("drop one of them; the answers of one mock are items of one list",
				"%q has a backend already, %s in line %d", backend.Webhook, earlier.Path, earlier.Source().Line)
		} else {
			first[backend.Webhook] = one
		}
		b.List = append(b.List, backend)
	}
	services := v.At("services")
	addresses := services.TextMap()
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		one := services.Key(name)
		key, err := CheckService(name, addresses[name])
		if err != nil {
			one.Errorf("such as shop/webhook:443: 127.0.0.1:9443", "%v", err)
			continue
		}
		if b.Services == nil {
			b.Services = map[string]Service{}
		}
		if first, twice := b.Services[key]; twice {
			one.Errorf("", "service %s appears twice, first in %s", key, first.Source)
		}
		b.Services[key] = Service{addresses[name], one.Source()}
	}
}

var serviceForm = regexp.MustCompile(`^([^/:]+/[^/:]+)(?::([0-9]+))?$`)

// CheckService checks the name and address of a service. It returns the name as namespace/name:port; the port defaults
// to 443.
func CheckService(name, address string) (string, error) {
	m := serviceForm.FindStringSubmatch(name)
	if m == nil {
		return "", fmt.Errorf("%q is not a service: want namespace/name:port", name)
	}
	if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
		return "", fmt.Errorf("%q is not an address: want host:port", address)
	}
	return m[1] + ":" + cmp.Or(m[2], "443"), nil
}

var backendKinds = []string{"mock", "command", "url", "live"}

func readBackend(v manifest.Value) (Backend, bool) {
	if !v.Mapping("webhook", "mock", "command", "url", "live", "insecure", "env", "dir", "ready", "until", "port", "startTimeout") {
		if !v.Given() {
			v.Wrong("a mapping")
		}
		return Backend{}, false
	}
	b := Backend{Webhook: v.At("webhook").Text(), Source: v.Source()}
	if v.NoText("webhook") {
		v.Errorf("webhook is a name, or configuration/name; * stands for any part of it", "no webhook")
	}
	_, unnamed := dispatch.NewBackends(dispatch.Route{Webhook: b.Webhook})
	if unnamed != nil {
		v.At("webhook").Errorf("", "%v", unnamed)
	}
	switch readKind(v) {
	case "mock":
		b.Answers = readAnswers(v.At("mock"))
		checkConversion(b)
	case "command":
		b.Command = readCommand(v)
	case "url":
		b.URL = readAddress(v.At("url"))
	case "live":
		if b.Live = v.At("live").Flag(); !b.Live {
			v.At("live").Errorf("remove it; without a backend, the webhook is not called", "live: false has no effect")
		}
	}
	b.readInsecure(v)
	return b, unnamed == nil
}

// checkConversion reports answers to reviews of the other kind: of conversions, or of admission.
func checkConversion(b Backend) {
	_, name, _ := strings.Cut(b.Webhook, "/")
	name = cmp.Or(name, b.Webhook)
	mayConvert, err := path.Match(name, dispatch.ConversionWebhook)
	if err != nil || name == "" {
		return // reported
	}
	for _, a := range b.Answers {
		if convert := a.value.At("convert"); convert.Given() && !mayConvert {
			convert.Errorf("the conversion webhook of a CRD is called by the name of the CRD, such as widgets.shop.example/conversion",
				"only conversion webhooks convert, and %q is an admission webhook", b.Webhook)
		}
		if name != dispatch.ConversionWebhook {
			continue
		}
		for _, key := range []string{"allowed", "deny", "patch", "patchType", "merge", "warnings", "auditAnnotations", "response"} {
			if one := a.value.At(key); one.Given() {
				one.Errorf("answer it with convert: apiVersionOnly, or with review, raw or http", "a conversion webhook has no %s", key)
			}
		}
	}
}

// readKind reads which kind of backend it is, and reports fields of other kinds.
func readKind(v manifest.Value) (kind string) {
	for _, k := range backendKinds {
		switch one := v.At(k); {
		case !one.Given():
		case kind != "":
			one.Errorf("drop one of them", "%s and %s exclude each other", kind, k)
		default:
			kind = k
		}
	}
	if kind == "" {
		v.Errorf("add one: mock (the answer {} allows), command, url, or live: true", "the backend has no answer")
	}
	if kind != "command" {
		for _, key := range []string{"env", "dir", "ready", "until", "port", "startTimeout"} {
			if one := v.At(key); one.Given() {
				one.Errorf("", "only a command has %s", key)
			}
		}
	}
	return kind
}

func (b *Backend) readInsecure(v manifest.Value) {
	insecure := v.At("insecure")
	if b.Insecure = insecure.Flag(); b.Insecure && b.Answers != nil {
		insecure.Errorf("", "a mock has no certificate")
	}
}

func readCommand(v manifest.Value) *Command {
	var args []string
	line, isText := v.At("command").Is.(string)
	if isText {
		v.At("command").Errorf("write "+string(manifest.Encode(strings.Fields(line))), "a string instead of a list")
	} else {
		args = v.At("command").Texts()
	}
	c := &Command{
		Args:         args,
		Dir:          v.At("dir").Text(),
		Ready:        readReady(v.At("ready")),
		Port:         int(v.At("port").Number(1, 65535)),
		StartTimeout: v.At("startTimeout").Duration(),
		Until:        v.At("until").TextMap(),
	}
	if len(c.Args) == 0 && !isText {
		v.At("command").Errorf("such as command: [./bin/webhook, \"--port={{.Port}}\"]", "no command")
	}
	env := v.At("env")
	values := env.TextMap()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c.Env = append(c.Env, name+"="+values[name])
	}
	return c
}

// readReady reads how to find out that a program is ready. Placeholders in a URL get their values when the program
// starts.
func readReady(v manifest.Value) string {
	text, ok := v.Text(), false
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return v.OneOf("tls", "anytls", "tcp")
	}
	for _, host := range []string{"127.0.0.1:", "localhost:", "[::1]:", "{{.Address}}"} {
		_, at, _ := strings.Cut(text, "://")
		ok = ok || strings.HasPrefix(at, host)
	}
	if !ok {
		v.Errorf("such as http://127.0.0.1:{{.HealthPort}}/readyz", "%q is not on this machine", text)
	}
	return text
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readAddress reads the URL of a running webhook. A URL that is invalid is reported, and not used.
func readAddress(v manifest.Value) string {
	text := v.Text()
	u, err := url.Parse(text)
	switch {
	case err != nil:
		v.Errorf("such as https://127.0.0.1:9443", "%v", err)
	case u.Scheme == "http" && u.Host != "" && !isLoopback(u.Hostname()):
		v.Errorf("such as https://127.0.0.1:9443", "%q: over http, only webhooks on this machine are called", text)
	case u.Scheme != "https" && u.Scheme != "http":
		v.Errorf("such as https://127.0.0.1:9443", "%q: webhooks are called over https, or over http on this machine", text)
	case u.Host == "":
		v.Errorf("such as https://127.0.0.1:9443", "%q has no host", text)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		v.Errorf("", "%q: only the host, the port and a path can be given", text)
	default:
		return text
	}
	return ""
}
