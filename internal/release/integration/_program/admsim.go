package testing

import (
	"context"
	"crypto/tls"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	restclient "k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// This file is not Kubernetes'. It starts the kube-apiserver of admsim in place of the one that the tests build in their own
// process. ADMSIM_ASSETS is the folder that admsim envtest has created.

// A token of the tests' own client, which may do everything.
const loopbackToken = "loopback"

// withoutFlags lists the flags that StartAdmsim sets itself, and those about what admsim does not have.
var withoutFlags = map[string]bool{
	"bind-address": true, "cert-dir": true, "emulated-version": true, "etcd-cafile": true, "etcd-certfile": true, "etcd-keyfile": true,
	"etcd-prefix": true, "etcd-servers": true, "feature-gates": true, "permit-port-sharing": true, "proxy-client-cert-file": true,
	"proxy-client-key-file": true, "secure-port": true, "token-auth-file": true,
}

// withoutGates lists the feature gates of other programs than kube-apiserver.
var withoutGates = map[string]bool{"AllAlpha": true, "AllBeta": true, "ControllerManagerReleaseLeaderElectionLockOnExit": true}

// StartAdmsim starts a server with the options of a test, and returns the configuration of an administrator's client.
func StartAdmsim(ctx context.Context, s *options.ServerRunOptions) (client *restclient.Config, stop func(), err error) {
	folder, err := os.MkdirTemp("", "admsim")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	args, err := argsFor(s, folder)
	if err != nil {
		return nil, nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	host, port, _ := net.SplitHostPort(address)
	args = append(args, "--bind-address="+host, "--secure-port="+port)
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	cmd := exec.Command(program("kube-apiserver"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		_ = os.RemoveAll(folder)
	}
	client = &restclient.Config{Host: "https://" + address, BearerToken: loopbackToken, QPS: 1000, Burst: 10000}
	for range 600 {
		select {
		case <-ended:
			text, _ := os.ReadFile(log.Name())
			return nil, nil, fmt.Errorf("admsim ended: %s\nits flags: %q", text, args)
		case <-ctx.Done():
			stop()
			return nil, nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		if isReady(client.Host) {
			if client.CAData, err = os.ReadFile(filepath.Join(folder, "apiserver.crt")); err != nil {
				stop()
			}
			return client, stop, err
		}
	}
	stop()
	return nil, nil, errors.New("admsim does not become ready")
}

// argsFor returns the flags that have the effect of the options of a test.
func argsFor(s *options.ServerRunOptions, folder string) ([]string, error) {
	at, err := etcdFor(s.Etcd.StorageConfig.Prefix)
	if err != nil {
		return nil, err
	}
	tokens := filepath.Join(folder, "tokens.csv")
	if err := writeTokens(s, tokens); err != nil {
		return nil, err
	}
	args := []string{"--cert-dir=" + folder, "--token-auth-file=" + tokens, "--etcd-servers=" + at}
	usual := map[string]string{}
	for _, set := range options.NewServerRunOptions().Flags().FlagSets {
		set.VisitAll(func(f *pflag.Flag) { usual[f.Name] = f.Value.String() })
	}
	for _, set := range s.Flags().FlagSets {
		set.VisitAll(func(f *pflag.Flag) {
			was, known := usual[f.Name]
			if !known || f.Value.String() == was || withoutFlags[f.Name] || strings.HasPrefix(f.Name, "requestheader-") {
				return
			}
			text := f.Value.String()
			if list, ok := f.Value.(pflag.SliceValue); ok {
				text = strings.Join(list.GetSlice(), ",")
			}
			args = append(args, "--"+f.Name+"="+text)
		})
	}
	gates := utilfeature.DefaultMutableFeatureGate
	var switched []string
	for name, spec := range gates.GetAll() {
		if on := gates.Enabled(name); on != spec.Default && !withoutGates[string(name)] {
			switched = append(switched, fmt.Sprintf("%s=%v", name, on))
		}
	}
	if len(switched) > 0 {
		args = append(args, "--feature-gates="+strings.Join(switched, ","))
	}
	return append(args, "--emulated-version=kube="+gates.EmulationVersion().String()), nil
}

// writeTokens writes the tokens of a test's own file, and that of its client.
func writeTokens(s *options.ServerRunOptions, file string) error {
	var text []byte
	if given := s.Authentication.TokenFile; given != nil && given.TokenFile != "" {
		var err error
		if text, err = os.ReadFile(given.TokenFile); err != nil {
			return err
		}
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
		return err
	}
	w := csv.NewWriter(out)
	if err := w.Write([]string{loopbackToken, "system:apiserver", "loopback", "system:masters"}); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

var (
	etcds     = map[string]string{} // the URL of admsim's etcd for a prefix, as a restarted server has the same one
	etcdsLock sync.Mutex
)

func etcdFor(prefix string) (at string, err error) {
	etcdsLock.Lock()
	defer etcdsLock.Unlock()
	if at = etcds[prefix]; at != "" && prefix != "" {
		return at, nil
	}
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "admsim-etcd")
	if err != nil {
		return "", err
	}
	at = "http://" + address
	cmd := exec.Command(program("etcd"), "--listen-client-urls="+at, "--advertise-client-urls="+at, "--listen-peer-urls=http://localhost:0", "--data-dir="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // Linux kills the program when the thread that started it ends, so no other goroutine may end that thread
	if err := cmd.Start(); err != nil {
		return "", err
	}
	for range 500 {
		if c, err := net.Dial("tcp", address); err == nil {
			etcds[prefix] = at
			return at, c.Close()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "", errors.New("admsim's etcd does not listen")
}

func program(name string) string { return filepath.Join(os.Getenv("ADMSIM_ASSETS"), name) }

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func isReady(url string) bool {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	request, err := http.NewRequest(http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+loopbackToken)
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode == http.StatusOK
}
