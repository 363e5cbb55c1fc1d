package process

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/didyoumean"
)

// A variable is a value that a command can refer to: as {{.Name}} in its arguments and in the values of its
// environment, and as ADMSIM_NAME in its environment.
type variable struct {
	name, key string
	value     string
}

// variables are the variables of a webhook that listens on a port of 127.0.0.1, with its certificate in a folder. It
// can serve health checks on another port.
type variables []variable

func variablesOf(port, health int, folder string, o Options) variables {
	v := variables{
		{"Port", "ADMSIM_PORT", strconv.Itoa(port)},
		{"HealthPort", "ADMSIM_HEALTH_PORT", strconv.Itoa(health)},
		{"Address", "ADMSIM_ADDRESS", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}, // includes the port
		{"CertDir", "ADMSIM_CERT_DIR", folder},
		{"CertFile", "ADMSIM_CERT_FILE", filepath.Join(folder, certificate.CertificateFile)},
		{"KeyFile", "ADMSIM_KEY_FILE", filepath.Join(folder, certificate.KeyFile)},
		{"CAFile", "ADMSIM_CA_FILE", filepath.Join(folder, certificate.BundleFile)},
	}
	if o.Server != "" {
		v = append(v,
			variable{"Kubeconfig", "KUBECONFIG", filepath.Join(o.Account, kubeconfigFile)}, // the name that all clients know
			variable{"ServiceAccountDir", "ADMSIM_SERVICE_ACCOUNT_DIR", o.Account})
	}
	return v
}

// kubeconfigFile is the name of a program's kubeconfig in its folder.
const kubeconfigFile = "kubeconfig"

// NamesCluster reports whether a command refers to the cluster.
func (o Options) NamesCluster(command []string) bool {
	return slices.ContainsFunc(slices.Concat(command, o.Env), func(text string) bool {
		return strings.Contains(text, ".Kubeconfig") || strings.Contains(text, ".ServiceAccountDir")
	})
}

// inCluster returns the variables by which a program in a pod finds the API server.
func inCluster(server string) []string {
	u, err := url.Parse(server)
	if err != nil || server == "" {
		return nil
	}
	return []string{"KUBERNETES_SERVICE_HOST=" + u.Hostname(), "KUBERNETES_SERVICE_PORT=" + u.Port(), "KUBERNETES_SERVICE_PORT_HTTPS=" + u.Port()}
}

func (v variables) environment() []string {
	all := make([]string, len(v))
	for i, one := range v {
		all[i] = one.key + "=" + one.value
	}
	return all
}

func (v variables) names() []string {
	all := make([]string, len(v))
	for i, one := range v {
		all[i] = one.name
	}
	return all
}

// placeholder returns how a variable is written.
func placeholder(name string) string { return opens + "." + name + closes }

const (
	opens  = "{{"
	closes = "}}"
	// twoBraces is how braces are written that do not open a placeholder.
	twoBraces = `"{{"`
)

func (v variables) expandAll(texts []string) ([]string, error) {
	expanded := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if expanded[i], err = v.expand(text); err != nil {
			return nil, err
		}
	}
	return expanded, nil
}

// expand replaces each {{.Name}} by its value. It looks like a Go template, but is not: because of what templates may
// call, the linker would keep every method of every type in the program.
func (v variables) expand(text string) (string, error) {
	var b strings.Builder
	for rest := text; ; {
		before, behind, found := strings.Cut(rest, opens)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		wrong := &placeholderError{text: text, column: len(text) - len(opens+behind) + 1, known: v.names()}
		inside, after, closed := strings.Cut(behind, closes)
		if !closed {
			wrong.problem = opens + " is not closed by " + closes
			return "", wrong
		}
		inside, rest = strings.TrimSpace(inside), after
		if inside == twoBraces {
			b.WriteString(opens)
			continue
		}
		i := slices.IndexFunc(v, func(one variable) bool { return "."+one.name == inside })
		if i < 0 {
			wrong.problem = "there is no " + opens + inside + closes
			wrong.nearest = didyoumean.Nearest(strings.TrimPrefix(inside, "."), wrong.known)
			return "", wrong
		}
		b.WriteString(v[i].value)
	}
}

// A placeholderError is about a placeholder in a command that has no value.
type placeholderError struct {
	text    string // the argument, or the variable with its value
	column  int    // in bytes, from 1
	problem string

	known   []string // names
	nearest string   // of them, or ""
}

func (e *placeholderError) Error() string {
	return fmt.Sprintf("%q, column %d: %s", e.text, e.column, e.problem)
}

func (e *placeholderError) hint() string {
	if e.nearest != "" {
		return fmt.Sprintf("did you mean %s?", placeholder(e.nearest))
	}
	all := make([]string, len(e.known))
	for i, name := range e.known {
		all[i] = placeholder(name)
	}
	return fmt.Sprintf("these can stand there: %s; %s stands for %s itself", strings.Join(all, ", "), opens+twoBraces+closes, opens)
}
