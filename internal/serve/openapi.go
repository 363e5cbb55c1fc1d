package serve

import "encoding/json"

func (x *exchange) openAPI(parts []string) { x.noPage() }

func jsonOf(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(data, '\n'), err
}
