package roles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/release/upstream"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Check compares the table's roles of releases, with their default gates, with the fixtures in Kubernetes' own tests.
func Check(ctx context.Context, table string, versions []string) error {
	t, err := bootstrap.ParseTable(table)
	if err != nil {
		return err
	}
	var errs []error
	for _, version := range versions {
		if err := check(ctx, t, version); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", version, err))
		}
	}
	return errors.Join(errs...)
}

func check(ctx context.Context, t *bootstrap.Table, version string) error {
	source, err := upstream.Download(ctx, version)
	if err != nil {
		return err
	}
	r, err := kubeversion.Parse(version[:strings.LastIndexByte(version, '.')])
	if err != nil {
		return err
	}
	made := Objects{}
	for _, kind := range bootstrap.Kinds() {
		for _, o := range t.Objects(kind, r.Minor, r.Enabled) {
			data, err := json.Marshal(o)
			if err != nil {
				return err
			}
			var one Object
			if err := json.Unmarshal(data, &one); err != nil {
				return err
			}
			made[one.key()] = one
		}
	}
	var errs []error
	seen := map[string]bool{} // a fixture has some of them twice
	for _, name := range []string{"cluster-roles", "controller-roles", "cluster-role-bindings", "controller-role-bindings", "namespace-roles", "namespace-role-bindings"} {
		data, err := os.ReadFile(filepath.Join(source.Dir, policyDir, "testdata", name+".yaml"))
		if err != nil {
			return err
		}
		var list struct{ Items []Object }
		if err := yaml.Unmarshal(data, &list); err != nil {
			return err
		}
		for _, want := range list.Items {
			if got := made[want.key()]; !reflect.DeepEqual(got, want) {
				errs = append(errs, fmt.Errorf("%s: %s is %+v, want %+v", name, want.key(), got, want))
			}
			seen[want.key()] = true
		}
	}
	for key := range made {
		if !seen[key] {
			errs = append(errs, fmt.Errorf("%s is in no fixture", key))
		}
	}
	return errors.Join(errs...)
}
