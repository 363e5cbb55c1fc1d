package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/admsim/admsim/pkg/dispatch"
)

// A Backend says who answers for a webhook: one of Answers, Command, URL and Live is set.
type Backend struct {
	Webhook string // its name, or configuration/name; globs allowed
	Source  Source

	Answers []Answer // it is a mock
	Command *Command // it is a program to start
	URL     string   // it runs already, there
	Live    bool     // it is where its configuration says

	Insecure bool // whatever certificate it shows is taken
}

// A Command is a webhook's program, and how to start it. The templates in it are those of
// package process.
type Command struct {
	Args         []string
	Env          []string // NAME=value
	Dir          string   // as written; empty: the folder of the file
	Ready        string   // tls, anytls or tcp; empty: tls
	Port         int      // where it listens, if the command does not get a port
	StartTimeout time.Duration
}

// Backends are all documents of kind Backends together.
type Backends struct {
	List     []Backend // the first one whose name matches answers
	Services map[string]Service
}

// A Service is where a service of the cluster really is.
type Service struct {
	Address string // host:port
	Source  Source
}

// readBackends reads a document of kind Backends into b.
func readBackends(m *Manifest, b *Backends, errs *Errors) {
	v := form(m, errs)
	v.mapping("apiVersion", "kind", "metadata", "backends", "services")
	if len(v.at("backends").list()) == 0 && !v.at("services").given() {
		v.errorf("list the webhooks under backends", "no backends")
	}
	b.read(v)
}

// read reads the backends and services of a form that has them.
func (b *Backends) read(v value) {
	for _, one := range v.at("backends").list() {
		if backend, ok := readBackend(one); ok {
			b.List = append(b.List, backend)
		}
	}
	services := v.at("services")
	addresses := services.textMap()
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		one := services.key(name)
		key, err := CheckService(name, addresses[name])
		if err != nil {
			one.errorf("such as shop/webhook:443: 127.0.0.1:9443", "%v", err)
			continue
		}
		if b.Services == nil {
			b.Services = map[string]Service{}
		}
		if first, twice := b.Services[key]; twice {
			one.errorf("", "service %s appears twice, first in %s", key, first.Source)
		}
		b.Services[key] = Service{addresses[name], one.source()}
	}
}

var serviceForm = regexp.MustCompile(`^([^/:]+/[^/:]+)(?::([0-9]+))?$`)

// CheckService checks what is said of where a service is. It returns the name of the
// service as namespace/name:port; the port is 443 where it is left out.
func CheckService(name, address string) (string, error) {
	m := serviceForm.FindStringSubmatch(name)
	if m == nil {
		return "", fmt.Errorf("%q is no service: want namespace/name:port", name)
	}
	if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
		return "", fmt.Errorf("%q is no address: want host:port", address)
	}
	return m[1] + ":" + cmp.Or(m[2], "443"), nil
}

var backendKinds = []string{"mock", "command", "url", "live"}

func readBackend(v value) (Backend, bool) {
	if !v.mapping("webhook", "mock", "command", "url", "live", "insecure", "env", "dir", "ready", "port", "startTimeout") {
		if !v.given() {
			v.wrong("a mapping")
		}
		return Backend{}, false
	}
	b := Backend{Webhook: v.at("webhook").text(), Source: v.source()}
	if v.noText("webhook") {
		v.errorf("webhook is a name, or configuration/name; * stands for any part of it", "no webhook")
	}
	_, unnamed := dispatch.NewBackends(dispatch.Route{Webhook: b.Webhook})
	if unnamed != nil {
		v.at("webhook").errorf("", "%v", unnamed)
	}
	switch readKind(v) {
	case "mock":
		b.Answers = readAnswers(v.at("mock"))
	case "command":
		b.Command = readCommand(v)
	case "url":
		b.URL = readAddress(v.at("url"))
	case "live":
		if b.Live = v.at("live").flag(); !b.Live {
			v.at("live").errorf("remove it; without a backend, the webhook is not called", "live: false has no effect")
		}
	}
	b.readInsecure(v)
	return b, unnamed == nil
}

// readKind reads who answers, and reports the fields that do not go with it.
func readKind(v value) (kind string) {
	for _, k := range backendKinds {
		switch one := v.at(k); {
		case !one.given():
		case kind != "":
			one.errorf("drop one of them", "%s and %s exclude each other", kind, k)
		default:
			kind = k
		}
	}
	if kind == "" {
		v.errorf("add one: mock (the answer {} allows), command, url, or live: true", "the backend has no answer")
	}
	if kind != "command" {
		for _, key := range []string{"env", "dir", "ready", "port", "startTimeout"} {
			if one := v.at(key); one.given() {
				one.errorf("", "only a command has %s", key)
			}
		}
	}
	return kind
}

func (b *Backend) readInsecure(v value) {
	insecure := v.at("insecure")
	if b.Insecure = insecure.flag(); b.Insecure && b.Answers != nil {
		insecure.errorf("", "a mock has no certificate")
	}
}

func readCommand(v value) *Command {
	c := &Command{
		Args:         v.at("command").texts(),
		Dir:          v.at("dir").text(),
		Ready:        v.at("ready").oneOf("tls", "anytls", "tcp"),
		Port:         int(v.at("port").number(1, 65535)),
		StartTimeout: v.at("startTimeout").duration(),
	}
	if len(c.Args) == 0 {
		v.at("command").errorf("such as command: [./bin/webhook, \"--port={{.Port}}\"]", "no command")
	}
	env := v.at("env")
	values := env.textMap()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c.Env = append(c.Env, name+"="+values[name])
	}
	return c
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readAddress reads the URL of a webhook that runs. What is wrong is said, and not used.
func readAddress(v value) string {
	text := v.text()
	u, err := url.Parse(text)
	switch {
	case err != nil:
		v.errorf("such as https://127.0.0.1:9443", "%v", err)
	case u.Scheme == "http" && u.Host != "" && !isLoopback(u.Hostname()):
		v.errorf("such as https://127.0.0.1:9443", "%q: over http, only webhooks on this machine are called", text)
	case u.Scheme != "https" && u.Scheme != "http":
		v.errorf("such as https://127.0.0.1:9443", "%q: webhooks are called over https, or over http on this machine", text)
	case u.Host == "":
		v.errorf("such as https://127.0.0.1:9443", "%q has no host", text)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		v.errorf("", "%q: only the host, the port and a path can be given", text)
	default:
		return text
	}
	return ""
}
