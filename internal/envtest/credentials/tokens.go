package credentials

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"
)

// readTokens reads a token file: kubernetes/apiserver:pkg/authentication/token/tokenfile/tokenfile.go.
func readTokens(file string) (tokens map[string]authenticationv1.UserInfo, err error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	tokens = map[string]authenticationv1.UserInfo{}
	for i, fields := range lines {
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: line %d: want token, user name and uid, and groups where there are any", file, i+1)
		}
		if fields[0] == "" {
			continue
		}
		who := authenticationv1.UserInfo{Username: fields[1], UID: fields[2]}
		if len(fields) > 3 && fields[3] != "" {
			who.Groups = strings.Split(fields[3], ",")
		}
		who.Groups = append(who.Groups, user.AllAuthenticated)
		tokens[fields[0]] = who
	}
	return tokens, nil
}
