package report_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/admsim/admsim/pkg/report"
)

// The output of admsim run -o json can be decoded with the types of this package.
func Example() {
	const output = `{
		"apiVersion": "admsim.dev/v1alpha1", "kind": "Result",
		"request": {"verb": "create", "resource": {"group": "", "version": "v1", "resource": "configmaps"}, "user": {}},
		"allowed": false, "code": 403, "elapsed": "0s",
		"deniedBy": {"plugin": "ValidatingAdmissionWebhook", "configuration": "shop", "name": "names.shop.example"},
		"admissions": []
	}`
	var result report.Result
	if err := json.Unmarshal([]byte(output), &result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Kind == report.ResultKind, result.Allowed, result.DeniedBy)
	// Output:
	// true false ValidatingAdmissionWebhook: shop/names.shop.example
}
