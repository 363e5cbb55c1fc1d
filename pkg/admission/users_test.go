package admission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/admission"
)

// Authorizers get everything that is known about the user, and the server itself is a user who may do everything.
func TestAsker(t *testing.T) {
	for _, tt := range []struct {
		user authenticationv1.UserInfo
		want *user.DefaultInfo
	}{
		{authenticationv1.UserInfo{}, &user.DefaultInfo{}},
		{
			authenticationv1.UserInfo{Username: "alice", UID: "42", Groups: []string{"dev"}, Extra: map[string]authenticationv1.ExtraValue{"scopes": {"a", "b"}}},
			&user.DefaultInfo{Name: "alice", UID: "42", Groups: []string{"dev"}, Extra: map[string][]string{"scopes": {"a", "b"}}},
		},
		{admission.APIServer(), &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.AllAuthenticated, user.SystemPrivilegedGroup}}},
	} {
		if diff := cmp.Diff(user.Info(tt.want), admission.Request{User: tt.user}.Asker()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.user.Username, diff)
		}
	}
}
