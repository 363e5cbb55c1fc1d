package apiserver

import (
	"errors"
	"net/http"
	"strings"

	"github.com/admsim/admsim/internal/door"
)

// A strict handler tells clients to use TLS only: kubernetes/apiserver:pkg/server/filters/hsts.go.
type strict struct {
	door.Handler
	directives string // empty: it does not
}

func (s strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.directives != "" {
		w.Header().Set("Strict-Transport-Security", s.directives)
	}
	s.Handler.ServeHTTP(w, r)
}

// checkHSTS checks directives: kubernetes/apiserver:pkg/server/options/server_run_options.go, validateHSTSDirectives.
func checkHSTS(directives []string) error {
	for _, d := range directives {
		age, isAge := strings.CutPrefix(d, "max-age=")
		if d == "includeSubDomains" || d == "preload" || isAge && !strings.Contains(age, "=") {
			continue
		}
		return errors.New("--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information")
	}
	return nil
}
