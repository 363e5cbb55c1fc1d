package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// webhook is a webhook's program, such as users have: it denies what is called bad.
func webhook() {
	port := flag.Int("port", 9443, "")
	folder := flag.String("cert-dir", "", "")
	flag.Parse()
	if *folder == "" {
		fmt.Fprintln(os.Stderr, "no certificate for me")
		os.Exit(1)
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: review.Request.Name != "bad"}
		if !review.Response.Allowed {
			review.Response.Result = &metav1.Status{Message: review.Request.Kind.Kind + " " + review.Request.Name + " is not welcome" + r.Header.Get("Authorization")}
		}
		_ = json.NewEncoder(w).Encode(review)
	}
	err := http.ListenAndServeTLS(fmt.Sprintf("127.0.0.1:%d", *port),
		filepath.Join(*folder, "tls.crt"), filepath.Join(*folder, "tls.key"), http.HandlerFunc(answer))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
