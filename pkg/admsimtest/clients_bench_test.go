package admsimtest_test

import (
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/admsim/admsim/pkg/admsimtest"
)

// BenchmarkFor creates a cluster for a subtest, alone and with a client of its own that sends one request.
func BenchmarkFor(b *testing.B) {
	c := admsimtest.New(b, admsimtest.Options{})
	b.Run("client=none", func(b *testing.B) {
		for b.Loop() {
			c.For(b)
		}
	})
	b.Run("client=one", func(b *testing.B) {
		for b.Loop() {
			config := c.For(b).RESTConfig()
			client, err := rest.HTTPClientFor(config)
			if err != nil {
				b.Fatal(err)
			}
			answer, err := client.Get(config.Host + "/api/v1/namespaces/default")
			if err != nil || answer.StatusCode != http.StatusOK {
				b.Fatal(answer, err)
			}
			_ = answer.Body.Close()
		}
	})
}
