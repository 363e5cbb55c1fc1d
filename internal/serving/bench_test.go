package serving

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/admsim/admsim/pkg/simulator"
)

// BenchmarkCreate creates ConfigMaps over HTTPS, each client over a connection of its own.
func BenchmarkCreate(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			sim, err := simulator.New(simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), NewUID: simulator.CountUIDs()})
			if err != nil {
				b.Fatal(err)
			}
			cluster, err := Start(sim, Options{Token: "bench", Warn: func(err error) { b.Error(err) }})
			if err != nil {
				b.Fatal(err)
			}
			defer cluster.Close()
			entrance, err := cluster.Open(At{})
			if err != nil {
				b.Fatal(err)
			}
			defer entrance.Close()
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(entrance.CA)
			var next atomic.Int64
			var running sync.WaitGroup
			b.ResetTimer()
			for range clients {
				running.Go(func() {
					client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
					defer client.CloseIdleConnections()
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						body := fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o-%d"}, "data": {"a": "1"}}`, i)
						r, _ := http.NewRequest(http.MethodPost, entrance.Server+"/api/v1/namespaces/default/configmaps", bytes.NewReader(body))
						r.Header.Set("Authorization", "Bearer bench")
						answer, err := client.Do(r)
						if err != nil {
							b.Error(err)
							return
						}
						if answer.StatusCode != http.StatusCreated {
							b.Error(answer.Status)
						}
						_, _ = io.Copy(io.Discard, answer.Body)
						answer.Body.Close()
					}
				})
			}
			running.Wait()
		})
	}
}
