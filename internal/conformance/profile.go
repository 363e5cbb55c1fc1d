package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	worlds "github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A profile is how the recorded server was started, in addition to what all of them had.
type profile struct {
	release *kubeversion.Release
	plugins simulator.Plugins

	// authorization is how requests are authorized, unless the recording says so.
	authorization scenario.Authorization
}

// UnnamedRelease is the release of recordings that name none, whatever the newest release is.
const UnnamedRelease = "1.36"

// defaultProfile is a server with the plugins that are on by default.
const defaultProfile = "default"

// profileOf reads the recording's profile: a folder next to the recordings with the flags, one per line, and the files
// that they name. Only the default profile may lack a folder: then it adds no flags.
func profileOf(r *Recording) (profile, error) {
	var p profile
	var err error
	if p.release, err = r.release(); err != nil {
		return p, err
	}
	folder := path.Join(r.dir, "profiles", r.Profile)
	text, err := os.ReadFile(path.Join(folder, "flags"))
	switch {
	case errors.Is(err, fs.ErrNotExist) && (r.Profile == "" || r.Profile == defaultProfile):
		return p, nil
	case errors.Is(err, fs.ErrNotExist):
		return p, fmt.Errorf("%s: the profile %q of the recording has no flags in %s", r.ID, r.Profile, folder)
	case err != nil:
		return p, err
	}
	flags := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(strings.TrimSpace(line), "=")
		if !found {
			return p, fmt.Errorf("%s: %q is no flag with a value", folder, line)
		}
		flags[name] = value
	}
	if err := p.apply(flags, folder); err != nil {
		return p, fmt.Errorf("%s: %w", folder, err)
	}
	return p, nil
}

func (p *profile) apply(flags map[string]string, folder string) error {
	var release kubeversion.Flags
	var authorization scenario.AuthorizationFlags
	configuration := ""
	var err error
	for name, value := range flags {
		switch name {
		case "--enable-admission-plugins":
			p.plugins.Enable = strings.Split(value, ",")
		case "--disable-admission-plugins":
			p.plugins.Disable = strings.Split(value, ",")
		case "--admission-control-config-file":
			configuration = path.Join(folder, value)
		case "--authorization-mode":
			authorization.Modes = strings.Split(value, ",")
		case "--authorization-policy-file":
			authorization.PolicyFile = path.Join(folder, value)
		case "--authorization-config":
			authorization.ConfigFile = path.Join(folder, value)
		case "--authorization-webhook-config-file":
			authorization.WebhookFile = path.Join(folder, value)
		case "--authorization-webhook-version":
			authorization.WebhookVersion = value
		case "--authorization-webhook-cache-authorized-ttl", "--authorization-webhook-cache-unauthorized-ttl":
			if value != "0s" {
				err = errors.New("want 0s: answers that are remembered depend on the clock")
			}
			authorization.AuthorizedTTL, authorization.UnauthorizedTTL = -1, -1
		case "--feature-gates":
			release.FeatureGates, err = switches(value)
		case "--runtime-config":
			release.RuntimeConfig, err = switches(value)
		default:
			err = errors.New("this flag is not known here")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if p.authorization, err = authorization.Load(scenario.Options{}); err != nil {
		return err
	}
	if p.release, err = p.release.With(release); err != nil || configuration == "" {
		return err
	}
	on, err := p.release.Chain(p.plugins.Enable, p.plugins.Disable)
	if err != nil {
		return err
	}
	var names []string
	for _, plugin := range on {
		names = append(names, plugin.Name)
	}
	read, err := scenario.LoadAdmissionConfiguration(configuration, names, p.release, scenario.Options{})
	if err != nil {
		return err
	}
	worlds.Configure(&p.plugins, read)
	return nil
}

// switches parses a list such as name=true,name=false.
func switches(list string) (map[string]bool, error) {
	on := map[string]bool{}
	for _, one := range strings.Split(list, ",") {
		name, value, _ := strings.Cut(one, "=")
		var err error
		if on[name], err = strconv.ParseBool(value); err != nil {
			return nil, fmt.Errorf("%q: %w", one, err)
		}
	}
	return on, nil
}
