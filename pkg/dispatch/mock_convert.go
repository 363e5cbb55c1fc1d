package dispatch

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// apiVersionOnly is the conversion of custom resources that only changes their apiVersion, as without a webhook (the
// strategy None).
const apiVersionOnly = "apiVersionOnly"

// A conversionReview has the fields common to both versions of ConversionReview, as far as a mock needs them.
type conversionReview struct {
	metav1.TypeMeta `json:",inline"`
	Request         *conversionRequest  `json:"request,omitempty"`
	Response        *conversionResponse `json:"response,omitempty"`
}

type conversionRequest struct {
	DesiredAPIVersion string                       `json:"desiredAPIVersion"`
	Objects           []map[string]json.RawMessage `json:"objects"`
}

type conversionResponse struct {
	UID              types.UID                    `json:"uid"`
	ConvertedObjects []map[string]json.RawMessage `json:"convertedObjects"`
	Result           metav1.Status                `json:"result"`
}

// convertedReview answers a call of a conversion webhook. It only changes the apiVersion of the objects.
func convertedReview(c Call, uid types.UID) ([]byte, error) {
	body, err := c.Body()
	if err != nil {
		return nil, err
	}
	var asked conversionReview
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	if asked.Request == nil {
		return nil, fmt.Errorf("convert: what is asked is of kind %q and has no objects to convert", asked.Kind)
	}
	version, err := json.Marshal(asked.Request.DesiredAPIVersion)
	if err != nil {
		return nil, err
	}
	answer := conversionReview{TypeMeta: asked.TypeMeta, Response: &conversionResponse{
		UID: uid, ConvertedObjects: asked.Request.Objects, Result: metav1.Status{Status: metav1.StatusSuccess},
	}}
	for _, o := range answer.Response.ConvertedObjects {
		o["apiVersion"] = version
	}
	return json.Marshal(answer)
}
