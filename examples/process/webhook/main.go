// Command webhook is an admission webhook without any framework: it denies Deployments with images that may change at
// any time.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"path/filepath"
	"strings"
)

// A review is the part of an AdmissionReview that matters here.
type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID    string `json:"uid"`
	Object struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct{ Name, Image string }
				}
			}
		}
	} `json:"object"`
}

type response struct {
	UID     string  `json:"uid"`
	Allowed bool    `json:"allowed"`
	Status  *status `json:"status,omitempty"`
}

type status struct {
	Message string `json:"message"`
}

func main() {
	port := flag.Int("port", 9443, "where to listen")
	folder := flag.String("cert-dir", "/tmp/k8s-webhook-server/serving-certs", "folder of tls.crt and tls.key")
	flag.Parse()
	http.HandleFunc("/images", images)
	log.Fatal(http.ListenAndServeTLS(fmt.Sprintf(":%d", *port),
		filepath.Join(*folder, "tls.crt"), filepath.Join(*folder, "tls.key"), nil))
}

func images(w http.ResponseWriter, r *http.Request) {
	var in review
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Request == nil {
		http.Error(w, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	out := review{APIVersion: in.APIVersion, Kind: in.Kind, Response: &response{UID: in.Request.UID, Allowed: true}}
	for _, c := range in.Request.Object.Spec.Template.Spec.Containers {
		if _, tag, tagged := strings.Cut(c.Image, ":"); !tagged || tag == "latest" {
			out.Response.Allowed = false
			out.Response.Status = &status{fmt.Sprintf("container %s: image %s has no version", c.Name, c.Image)}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(out); err != nil {
		log.Print(err)
	}
}
