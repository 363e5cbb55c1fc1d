package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// webhook is a webhook's program, such as users have: it denies what is called bad.
func webhook() {
	port := flag.Int("port", 9443, "")
	folder := flag.String("cert-dir", "", "")
	reads := flag.String("reads", "", "kubeconfig of a cluster to read and write")
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
		if *reads != "" {
			review.Response.Warnings = []string{look(*reads, review.Request)}
		}
		_ = json.NewEncoder(w).Encode(review)
	}
	err := http.ListenAndServeTLS(fmt.Sprintf("127.0.0.1:%d", *port),
		filepath.Join(*folder, "tls.crt"), filepath.Join(*folder, "tls.key"), http.HandlerFunc(answer))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// look says how many ConfigMaps there are in the namespace of a request, and notes in a ServiceAccount that it
// was asked.
func look(kubeconfig string, r *admissionv1.AdmissionRequest) string {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err.Error()
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err.Error()
	}
	of := config.Host + "/api/v1/namespaces/" + r.Namespace
	answer, err := client.Get(of + "/configmaps?labelSelector=app")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	var list struct{ Items []any }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		return err.Error()
	}
	made, err := client.Post(of+"/serviceaccounts", "application/json", strings.NewReader(`{"metadata":{"name":"asked-about-`+r.Name+`"}}`))
	if err != nil {
		return err.Error()
	}
	defer made.Body.Close()
	return fmt.Sprintf("%d before %s, noted with %d", len(list.Items), r.Name, made.StatusCode)
}
