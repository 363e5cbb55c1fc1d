package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/recorder"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const recordUsage = `record is a webhook that writes every review it receives, with the answer, as a line of JSON. With --to,
it stands in front of another webhook and passes calls on unchanged; without, it allows everything. It
runs until it receives SIGTERM or an interrupt, and then writes what it still holds.

The API server has to know about it: --write-config and --print-config write the webhook configurations to
install, with the certificate to trust. These cannot block any request (failurePolicy Ignore). The values
of Secrets and tokens are not written, unless --no-redact is given.

Answers come first: what cannot be written in time is left out, and counted.`

const recordExample = `  # In a cluster, as service recorder in namespace admsim
  admsim record --service admsim/recorder --cert-dir /certs --print-config | \
    kubectl apply -f -
  admsim record --listen :8443 --service admsim/recorder --cert-dir /certs \
    -o /data/rec.jsonl.zst --rotate-size 100Mi --keep 10

  # On this machine, in front of a webhook that runs here
  admsim record --to https://127.0.0.1:9443 --insecure \
    --write-config config.yaml -o rec.jsonl`

type recordCommand struct {
	listen     string
	output     string
	rotateSize string
	keep       int
	buffer     string

	to, toCA, toName string
	insecure         bool

	noRedact bool
	redact   []string

	cert, key, ca, certDir string
	hosts                  []string

	service, url  string
	printConfig   bool
	writeConfig   string
	configDigest  string
	configuration recorder.Configuration
}

func newRecord() *cobra.Command {
	r := &recordCommand{}
	c := &cobra.Command{
		Use:     "record [-o FILE] [--to URL]",
		Short:   "Record the reviews that an API server sends to webhooks",
		Long:    recordUsage,
		Example: recordExample,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	flags := c.Flags()
	flags.StringVar(&r.listen, "listen", loopbackListen, "`ADDRESS` to listen on; :8443 is port 8443 of all addresses, as a service needs it")
	flags.StringVarP(&r.output, "output", "o", "-", "`FILE` to record to, compressed if its name ends in .zst or .gz; - is standard output")
	flags.StringVar(&r.rotateSize, "rotate-size", "0", "`SIZE` after which to begin a new file, such as 100Mi; 0 is never")
	whole(flags, &r.keep, "keep", "", 0, 0, "how many full files to keep; 0 keeps all")
	flags.StringVar(&r.buffer, "buffer", "64Mi", "most memory (`SIZE`) for reviews that wait to be written")

	flags.StringVar(&r.to, "to", "", "`URL` of the webhook to pass calls on to; without a path in it, calls keep their own")
	flags.StringVar(&r.toCA, "to-ca", "", "`FILE` of the certificate authorities to trust for the webhook (default those of the system)")
	flags.StringVar(&r.toName, "to-server-name", "", "`NAME` in the webhook's certificate, such as hook.shop.svc (default the host of --to)")
	flags.BoolVar(&r.insecure, "insecure", false, "accept any certificate of the webhook")

	flags.BoolVar(&r.noRedact, "no-redact", false, "do not redact secrets")
	flags.StringArrayVar(&r.redact, "redact", nil, "`PATH` of additional secrets, such as 'Pod:spec.containers[*].env[*].value'; repeatable")

	flags.StringVar(&r.cert, "cert", "", "`FILE` of the serving certificate")
	flags.StringVar(&r.key, "key", "", "`FILE` of the key of --cert")
	flags.StringVar(&r.ca, "ca", "", "`FILE` of the certificate authorities to trust for --cert, for the caBundle of the configuration")
	flags.StringVar(&r.certDir, "cert-dir", "", "`FOLDER` to keep generated certificates in (default: they are not kept)")
	flags.StringArrayVar(&r.hosts, "host", nil, "additional `NAME` or address for the generated certificate; repeatable")

	flags.StringVar(&r.service, "service", "", "`NAMESPACE/NAME[:PORT]` of the service in front of the recorder")
	flags.StringVar(&r.url, "url", "", "`URL` at which the API server reaches the recorder (default that of --listen)")
	flags.BoolVar(&r.printConfig, "print-config", false, "print the webhook configurations to install, and exit")
	flags.StringVar(&r.writeConfig, "write-config", "", "write the webhook configurations to install to this `FILE`")
	flags.StringVar(&r.configDigest, "config-digest", "", "`TEXT` that identifies the configuration in use (default the digest of the one written)")
	flags.StringVar(&r.configuration.Name, "config-name", "admsim-record", "`NAME` of the webhook configurations")
	flags.StringSliceVar(&r.configuration.Phases, "phase", nil, "`PHASE` to record, mutating or validating (default both)")
	flags.StringSliceVar(&r.configuration.Resources, "resources", nil, "`RESOURCES` to record, such as pods,deployments.apps,pods/exec (default all but events, leases and access reviews)")
	flags.StringSliceVar(&r.configuration.ExcludeNamespaces, "exclude-namespaces", nil, "`NAMESPACES` not to record, besides that of the service")
	flags.DurationVar(&r.configuration.Timeout, "timeout", 5*time.Second, "how long the API server waits for the recorder")
	for _, pair := range [][]string{{"no-redact", "redact"}, {"cert", "cert-dir"}, {"service", "url"}, {"print-config", "write-config"}} {
		c.MarkFlagsMutuallyExclusive(pair...)
	}
	setCompletions(c, "phase", []string{recorder.Mutating, recorder.Validating})
	return c
}

func (r *recordCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	options, err := r.options(stderr)
	if err != nil {
		return err
	}
	if options.Forward != nil {
		defer options.Forward.Close()
	}
	pair, err := r.certificate()
	if err != nil {
		return err
	}
	if r.printConfig {
		return r.print(stdout)
	}
	if err := r.ready(); err != nil {
		return err
	}
	// From here on a signal ends the recording in an orderly way; a second one ends the process as usual.
	ctx, planned := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer planned()
	context.AfterFunc(ctx, planned)
	return r.serve(ctx, options, pair, stdout, stderr)
}

// ready makes sure that the output files can be written before the recorder starts to listen.
func (r *recordCommand) ready() error {
	return ready([]output{{path: r.output}, {path: r.writeConfig}}, nil)
}

func (r *recordCommand) serve(ctx context.Context, options recorder.Options, pair certificate.Pair, stdout, stderr io.Writer) error {
	listener, err := door.OpenPort(r.listen)
	if err != nil {
		return err
	}
	if err := r.install(listener.Addr().String(), &options); err != nil {
		return errors.Join(err, listener.Close())
	}
	log, err := r.open(stdout)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(stderr, "admsim: recording on https://%s\n", listener.Addr())
	r.tellReach(listener.Addr(), stderr)
	counts, err := recorder.New(log, options).Serve(ctx, listener, pair)
	fmt.Fprintf(stderr, "admsim: end of recording: %d recorded, %d shed, %d failed\n", counts.Recorded, counts.Shed, counts.Failed)
	return err
}

// loopbackListen is only reachable from this machine: whoever can call a recorder can fill its recording.
const loopbackListen = "127.0.0.1:8443"

// tellReach reports who can call the recorder if that may not be what the user wants.
func (r *recordCommand) tellReach(address net.Addr, stderr io.Writer) {
	at, ok := address.(*net.TCPAddr)
	switch {
	case !ok:
	case at.IP.IsLoopback() && r.service != "":
		printWarning(stderr, fmt.Sprintf("only this machine can reach %s; the service %s cannot", at, r.service), fmt.Sprintf("listen on all addresses of the pod with --listen :%d", at.Port))
	case !at.IP.IsLoopback():
		fmt.Fprintln(stderr, "admsim: other machines can reach this address, call the recorder and fill the recording")
	}
}

// check checks that flags come with those that they need.
func (r *recordCommand) check() error {
	switch {
	case r.to == "" && (r.toCA != "" || r.toName != "" || r.insecure):
		return hinted(errors.New("--to-ca, --to-server-name and --insecure need a webhook"), "name it with --to")
	case (r.cert == "") != (r.key == ""):
		return errors.New("--cert and --key belong together")
	case r.cert == "" && r.ca != "":
		return errors.New("--ca without --cert")
	case r.printConfig && r.cert == "" && r.certDir == "":
		return hinted(errors.New("--print-config would print a certificate that is not kept"),
			"keep it with --cert-dir, or let record run and write the configuration with --write-config")
	case r.output == "-" && r.rotateSize != "0":
		return hinted(errors.New("standard output cannot be rotated"), "record to a file with -o")
	}
	return checkResources("--resources", r.configuration.Resources)
}

// checkResources refuses names of built-in resources that webhook rules spell differently. Unknown names are accepted:
// the cluster may have such resources.
func checkResources(flag string, names []string) error {
	known := discovery.New(kubeversion.Default(), cluster.New())
	for _, text := range names {
		if meant := known.Meant(text); meant != "" {
			return &didyoumean.UnknownError{Problem: fmt.Sprintf("%s %q: rules use another name for it", flag, text), Nearest: meant}
		}
	}
	return nil
}

func (r *recordCommand) options(stderr io.Writer) (o recorder.Options, err error) {
	o.Warn = func(text string) { fmt.Fprintf(stderr, "admsim: warning: %s\n", text) }
	if o.Buffer, err = size("--buffer", r.buffer); err != nil {
		return o, err
	}
	if !r.noRedact {
		if o.Redactor, err = redact.New(r.redact...); err != nil {
			return o, fmt.Errorf("--redact: %w", err)
		}
	}
	if r.to != "" {
		trust := certificate.Trust{Name: r.toName, Insecure: r.insecure}
		if r.toCA != "" {
			if trust.Bundle, err = os.ReadFile(r.toCA); err != nil {
				return o, err
			}
		}
		if o.Forward, err = recorder.NewForward(r.to, trust); err != nil {
			return o, fmt.Errorf("--to: %w", err)
		}
	}
	o.ConfigDigest = r.configDigest
	return o, nil
}

func size(flag, text string) (int64, error) {
	quantity, err := resource.ParseQuantity(text)
	if err != nil || quantity.Sign() < 0 {
		return 0, badValue(flag, text, "a number of bytes, such as 100Mi or 1G")
	}
	return quantity.Value(), nil
}

// certificate returns the serving certificate and stores the CA bundle that clients have to trust for it.
func (r *recordCommand) certificate() (pair certificate.Pair, err error) {
	names, err := r.names()
	if err != nil {
		return pair, err
	}
	now := time.Now()
	var authority *certificate.Authority
	switch {
	case r.cert != "":
		return r.given()
	case r.certDir != "":
		authority, pair, err = certificate.LoadOrNew(r.certDir, now, names...)
		var foreign *certificate.ForeignError
		if errors.As(err, &foreign) {
			err = hinted(err, "use them with --cert and --key")
		}
	default:
		if authority, err = certificate.NewAuthority(now); err == nil {
			pair, err = authority.Issue(now, names...)
		}
	}
	if err == nil {
		r.configuration.CABundle = authority.Bundle()
	}
	return pair, err
}

// given returns the user's certificate.
func (r *recordCommand) given() (pair certificate.Pair, err error) {
	if pair.Certificate, err = os.ReadFile(r.cert); err != nil {
		return pair, err
	}
	if pair.Key, err = os.ReadFile(r.key); err != nil {
		return pair, err
	}
	if _, err := pair.Server(); err != nil {
		return pair, fmt.Errorf("--cert %s --key %s: %w", r.cert, r.key, err)
	}
	if r.ca != "" {
		r.configuration.CABundle, err = os.ReadFile(r.ca)
	}
	return pair, err
}

// names returns the names under which the API server may reach the recorder. It stores the address, as far as it is
// known before the recorder listens.
func (r *recordCommand) names() ([]string, error) {
	names := certificate.Local()
	switch {
	case r.service != "":
		service, err := parseService(r.service)
		if err != nil {
			return nil, err
		}
		r.configuration.Service = service
		names = append(certificate.ServiceNames(service.Namespace, service.Name), names...)
	case r.url != "":
		u, err := url.Parse(r.url)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" {
			return nil, badValue("--url", r.url, "a URL such as https://host:port")
		}
		r.configuration.URL = r.url
		names = append([]string{u.Hostname()}, names...)
	}
	host, _, err := net.SplitHostPort(r.listen)
	if err != nil {
		return nil, hinted(fmt.Errorf("--listen: %w", err), "give host and port, such as 127.0.0.1:8443, or only a port, such as :8443")
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		names = append(names, host)
	}
	return append(names, r.hosts...), nil
}

func parseService(text string) (*admissionregistrationv1.ServiceReference, error) {
	namespace, rest, ok := strings.Cut(text, "/")
	name, portText, hasPort := strings.Cut(rest, ":")
	service := &admissionregistrationv1.ServiceReference{Namespace: namespace, Name: name}
	if hasPort {
		port, err := strconv.ParseUint(portText, 10, 16)
		ok = ok && err == nil && port > 0
		service.Port = new(int32(port))
	}
	if !ok || namespace == "" || name == "" {
		return nil, badValue("--service", text, "NAMESPACE/NAME or NAMESPACE/NAME:PORT")
	}
	return service, nil
}

// locate sets the address of the recorder, if the user gave none, to where it listens on this machine.
func (r *recordCommand) locate(address string) {
	if r.configuration.Service != nil || r.configuration.URL != "" {
		return
	}
	host, port, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	r.configuration.URL = "https://" + net.JoinHostPort(host, port)
}

func (r *recordCommand) print(stdout io.Writer) error {
	r.locate(r.listen)
	text, err := r.configuration.YAML()
	if err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}

// install writes the configuration of a recorder that listens on address.
func (r *recordCommand) install(address string, o *recorder.Options) error {
	r.locate(address)
	o.Address = r.configuration.Address()
	digest, err := r.configuration.Digest()
	if err != nil {
		return err
	}
	if o.ConfigDigest == "" {
		o.ConfigDigest = digest
	}
	if r.writeConfig == "" {
		return nil
	}
	text, err := r.configuration.YAML()
	if err != nil {
		return err
	}
	return wholefile.Write(r.writeConfig, text, resultMode)
}

func (r *recordCommand) open(stdout io.Writer) (*recorder.Log, error) {
	if r.output == "-" {
		return recorder.NewLog(jsonWriter(stdout)), nil
	}
	rotate, err := size("--rotate-size", r.rotateSize)
	if err != nil {
		return nil, err
	}
	return recorder.OpenLog(r.output, recorder.Rotation{Size: rotate, Keep: r.keep})
}
