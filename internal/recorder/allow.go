package recorder

import (
	"encoding/json"
	"errors"
	"net/http"
)

// A reviewHead holds the parts of a review that are needed to answer it.
type reviewHead struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID string `json:"uid"`
	} `json:"request"`
}

type allowedReview struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Response   allowedResponse `json:"response"`
}

type allowedResponse struct {
	UID     string `json:"uid"`
	Allowed bool   `json:"allowed"`
}

// allow answers that the request is allowed, using the API version of the review.
func allow(w http.ResponseWriter, call *http.Request, e *exchange) {
	defer func() { e.answered(nil) }()
	refuse := func(status int, why string) {
		e.status = status
		e.response.WriteString(why)
		http.Error(w, why, status)
	}
	if call.Method != http.MethodPost {
		refuse(http.StatusMethodNotAllowed, "an AdmissionReview has to be posted")
		return
	}
	_, err := e.request.ReadFrom(keptRequest{http.MaxBytesReader(w, call.Body, maxBody), e})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		e.large = true
		refuse(http.StatusRequestEntityTooLarge, err.Error())
		return
	case errors.Is(err, errCrowded):
		refuse(http.StatusServiceUnavailable, err.Error())
		return
	case err != nil:
		refuse(http.StatusBadRequest, err.Error())
		return
	}
	var review reviewHead
	if err := json.Unmarshal(e.request.Bytes(), &review); err != nil || review.Request == nil {
		refuse(http.StatusBadRequest, "this is no AdmissionReview with a request")
		return
	}
	answer, err := json.Marshal(allowedReview{review.APIVersion, review.Kind, allowedResponse{review.Request.UID, true}})
	if err != nil {
		refuse(http.StatusInternalServerError, err.Error())
		return
	}
	e.status = http.StatusOK
	e.response.Write(answer)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}
