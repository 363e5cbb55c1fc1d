package process

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/admsim/admsim/pkg/certificate"
)

// Variables are what a command can be told, as templates in its arguments or in variables
// of its environment.
type Variables struct {
	Port     int    // ADMSIM_PORT: where to listen, on 127.0.0.1
	Address  string // ADMSIM_ADDRESS: the same with the host
	CertDir  string // ADMSIM_CERT_DIR: a folder with tls.crt, tls.key, ca.crt
	CertFile string // ADMSIM_CERT_FILE
	KeyFile  string // ADMSIM_KEY_FILE
	CAFile   string // ADMSIM_CA_FILE
}

func variables(port int, folder string) Variables {
	return Variables{
		Port:     port,
		Address:  net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		CertDir:  folder,
		CertFile: filepath.Join(folder, certificate.CertificateFile),
		KeyFile:  filepath.Join(folder, certificate.KeyFile),
		CAFile:   filepath.Join(folder, certificate.BundleFile),
	}
}

func (v Variables) environment() []string {
	return []string{
		"ADMSIM_PORT=" + strconv.Itoa(v.Port),
		"ADMSIM_ADDRESS=" + v.Address,
		"ADMSIM_CERT_DIR=" + v.CertDir,
		"ADMSIM_CERT_FILE=" + v.CertFile,
		"ADMSIM_KEY_FILE=" + v.KeyFile,
		"ADMSIM_CA_FILE=" + v.CAFile,
	}
}

func (v Variables) expandAll(texts []string) ([]string, error) {
	expanded := make([]string, len(texts))
	for i, text := range texts {
		t, err := template.New("").Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		var b strings.Builder
		if err := t.Execute(&b, v); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		expanded[i] = b.String()
	}
	return expanded, nil
}
