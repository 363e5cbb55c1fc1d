package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/wholefile"
)

// At configures an entrance and its clients. The zero value is any free port of this machine.
type At struct {
	Address    string       // host:port
	Port       net.Listener // at this address, from [Listen]; nil: Open opens it
	Hosts      []string     // further names of the server
	Kubeconfig string       // path of the file to write; empty: a temporary file that Close removes

	Token  string   // for the kubeconfig; empty: a certificate for this client
	Client string   // its name
	Groups []string // and groups
}

// An Entrance is an open port for clients.
type Entrance struct {
	Server     string // URL
	Kubeconfig string // path of the file
	CA         []byte // of the server

	remove func()
	stop   context.CancelFunc
	ended  chan error
}

// Open opens a port for a handler. The caller must close it.
func Open(at At, h Handler) (*Entrance, error) {
	address := cmp.Or(at.Address, "127.0.0.1:0")
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue(now, append(names(address), at.Hosts...)...)
	if err != nil {
		return nil, err
	}
	listener := at.Port
	if listener == nil {
		if listener, err = Listen(address); err != nil {
			return nil, err
		}
	}
	config := kubeconfig{Server: reached(listener.Addr().String()), CA: authority.Bundle(), Token: at.Token}
	if at.Token == "" {
		config.Client, err = authority.IssueClient(now, at.Client, at.Groups...)
	}
	e := &Entrance{Server: config.Server, CA: config.CA, remove: func() {}, ended: make(chan error, 1)}
	if err == nil {
		err = e.write(config, at.Kubeconfig)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	serving, stop := context.WithCancel(context.Background())
	e.stop = stop
	go func() { e.ended <- Serve(serving, listener, h, pair, authority.Bundle()) }()
	return e, nil
}

// names returns the names under which clients may reach an address.
func names(address string) []string {
	all := append(certificate.Local(), certificate.ServiceNames("default", "kubernetes")...)
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && host != "" && (ip == nil || !ip.IsUnspecified()) {
		all = append(all, host)
	}
	return all
}

// write writes the kubeconfig, to a temporary file if path is empty.
func (e *Entrance) write(config kubeconfig, path string) error {
	text, err := config.yaml()
	if err != nil {
		return err
	}
	if path == "" {
		folder, err := os.MkdirTemp("", "admsim-serve-")
		if err != nil {
			return err
		}
		path, e.remove = filepath.Join(folder, "kubeconfig"), func() { _ = os.RemoveAll(folder) }
	}
	if e.Kubeconfig, err = filepath.Abs(path); err != nil {
		return err
	}
	if err := mayReplace(path); err != nil {
		return err
	}
	return wholefile.Write(e.Kubeconfig, text, 0o600)
}

// mayReplace returns an error if a kubeconfig must not be written to a path: it is another file, or its folder does not
// exist.
func mayReplace(path string) error {
	existing, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return hint.Add(fmt.Errorf("%s: no such folder", filepath.Dir(path)), "make it first, or leave --kubeconfig out to use a temporary file")
		}
		return nil
	}
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return hint.Add(fmt.Errorf("%s is a folder", path), "name a file in it")
	}
	if err != nil || wrote(existing) {
		return err
	}
	return hint.Add(fmt.Errorf("%s exists, and admsim did not write it", path), "name another file, or remove this one first")
}

// Ended returns a channel that receives the reason if the entrance closes by itself.
func (e *Entrance) Ended() <-chan error { return e.ended }

// Close closes the port.
func (e *Entrance) Close() error {
	e.stop()
	err := <-e.ended
	e.remove()
	return err
}
