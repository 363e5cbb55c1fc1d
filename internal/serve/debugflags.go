package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// debugFlags answers a request for the flags that can be set while the server runs, of which there is one. It returns false
// if the path is none of theirs: kubernetes/apiserver:pkg/server/routes/flags.go.
func (x *exchange) debugFlags(path string) bool {
	const index, verbosity = "/debug/flags", "/debug/flags/v"
	switch {
	case !x.sim.Release().Has(kubeversion.FlagsSettable) || path != index && !strings.HasPrefix(path, index+"/"):
		return false
	case path != verbosity:
		gap := ""
		if !x.sim.Release().Has(kubeversion.FlagsWithoutTemplate) {
			gap = "\n"
		}
		x.send(http.StatusOK, "text/html; charset=utf-8", []byte("<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n/debug/flags/<br>\n<br>\nflags:<br>\n<table>\n"+
			gap+"<tr>v<br>\n"+gap+"</table>\n<br>\nfull flags configurable<br>\n</body>\n</html>\n"))
		return true
	}
	code, text := x.setVerbosity()
	if x.sim.Release().Has(kubeversion.FlagAnswersNotSniffed) {
		x.w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	x.send(code, "text/plain", []byte(text+"\n"))
	return true
}

// setVerbosity accepts how much a server logs, and returns its answer: kubernetes/component-base:logs/logs.go.
func (x *exchange) setVerbosity() (code int, text string) {
	if x.r.Method != http.MethodPut {
		return http.StatusNotAcceptable, "unsupported http method"
	}
	body, err := x.body()
	if err != nil {
		return http.StatusBadRequest, "error reading request body: " + err.Error()
	}
	level, library := string(body), "klog"
	if !x.sim.Release().Has(kubeversion.LogsByKlog) {
		library = "glog"
	}
	if x.sim.Release().Has(kubeversion.VerbosityUnsigned) {
		if _, err := strconv.ParseUint(level, 10, 32); err != nil {
			return http.StatusBadRequest, err.Error()
		}
	}
	if x.sim.Release().Has(kubeversion.VerbosityIn32Bits) {
		_, err = strconv.ParseInt(level, 10, 32)
	} else {
		_, err = strconv.Atoi(level)
	}
	if err != nil {
		return http.StatusBadRequest, fmt.Sprintf("failed set %s.logging.verbosity %s: %v", library, level, err)
	}
	return http.StatusOK, fmt.Sprintf("successfully set %s.logging.verbosity to %s", library, level)
}
