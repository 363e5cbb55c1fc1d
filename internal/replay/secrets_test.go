package replay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/replay/lines"
)

// However two answers about a Secret differ, and whatever the reason for cannot-tell is, neither the lines nor the
// summary contain anything of its data.
func TestSecretsAreNotShown(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(log, []byte(secretLog()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := asRecorded()
	var err error
	if o.Redactor, err = redact.New(); err != nil {
		t.Fatal(err)
	}
	var sum lines.Summary
	var shown bytes.Buffer
	for _, l := range linesOf(t, []string{log}, o) {
		sum.Add(l)
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(append(text, '\n'))
	}
	if sum.Outcomes[lines.Differs] != 4 || sum.Outcomes[lines.CannotTell] != 1 {
		t.Errorf("of the requests %v: %s", sum.Outcomes, &shown)
	}
	text, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	shown.Write(text)
	for _, secret := range []string{"hunter2", base64.StdEncoding.EncodeToString([]byte("hunter2"))[:9]} {
		for line := range strings.Lines(shown.String()) {
			if strings.Contains(line, secret) {
				t.Errorf("%s is in %s", secret, line)
			}
		}
	}
	for _, word := range []string{"REDACTED-1", base64.StdEncoding.EncodeToString([]byte("REDACTED-2"))} {
		if !strings.Contains(shown.String(), word) {
			t.Errorf("%s, which replaces a secret, is missing", word)
		}
	}
}

// secretLog returns requests for Secrets whose answers differ from those of admsim in an object, in the patch of a
// webhook and in messages.
func secretLog() string {
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	event := func(name, request, response, more string, code string) string {
		return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"` + name + `","stage":"ResponseComplete",` +
			`"requestURI":"/api/v1/namespaces/default/secrets","verb":"create","user":{"username":"alice","groups":["system:masters"]},` +
			`"objectRef":{"resource":"secrets","namespace":"default","name":"` + name + `","apiVersion":"v1"},` +
			`"responseStatus":{` + code + `},"requestObject":` + request + `,"responseObject":` + response + more + "}\n"
	}
	secret := func(name, data string) string {
		return `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default","uid":"1","resourceVersion":"9"},"type":"Opaque","data":{` + data + `}}`
	}
	refused := func(message string) (response, code string) {
		message = strings.ReplaceAll(message, `"`, `\"`)
		code = `"status":"Failure","reason":"Forbidden","message":"` + message + `","code":403`
		return `{"kind":"Status","apiVersion":"v1",` + code + `}`, code
	}
	given := `"k":"` + b64("hunter2-given") + `"`
	patch := `{"configuration":"m","webhook":"m.example.com","patch":[{"op":"add","path":"/data/p","value":"` + b64("hunter2-patched") + `"}],"patchType":"JSONPatch"}`
	denial, denied := refused(`admission webhook "v.example.com" denied the request: hunter2-given is weak`)
	failure, failed := refused(`failed calling webhook "v.example.com": received invalid webhook response: hunter2-given`)
	return event("object", secret("object", given), secret("object", given+`,"c":"`+b64("hunter2-controller")+`"`), "", `"code":201`) +
		event("patch", secret("patch", given), secret("patch", given+`,"p":"`+b64("hunter2-patched")+`"`),
			`,"annotations":{"patch.webhook.admission.k8s.io/round_0_index_0":"`+strings.ReplaceAll(patch, `"`, `\"`)+`"}`, `"code":201`) +
		event("message", secret("message", given), denial, "", denied) +
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","kind":{"version":"v1","kind":"Secret"},"resource":{"version":"v1","resource":"secrets"},"name":"review","namespace":"default","operation":"CREATE","userInfo":{"username":"alice"},` +
		`"object":` + secret("review", given) + `},"response":{"uid":"1","allowed":false,"status":{"message":"hunter2-given is weak"}}}` + "\n" +
		`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"get","stage":"ResponseComplete","requestURI":"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v","verb":"get","user":{"username":"alice"},` +
		`"objectRef":{"resource":"validatingwebhookconfigurations","name":"v","apiGroup":"admissionregistration.k8s.io","apiVersion":"v1"},"responseStatus":{"code":200},` +
		`"responseObject":{"kind":"ValidatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"v","uid":"2","resourceVersion":"10"},"webhooks":[{"name":"v.example.com","clientConfig":{"url":"https://v.example.com/"},"admissionReviewVersions":["v1"],"sideEffects":"None","rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["secrets"]}]}]}}` + "\n" +
		event("failure", secret("failure", given), failure, "", failed)
}
