// Package petstoretest gives each test a sandbox of the mock. Copy it into your module.
package petstoretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
)

// A Sandbox has the pets of the mock, and rules of its own. Tests with other names cannot change it.
type Sandbox struct {
	BaseURL, Key string

	t    testing.TB
	path string
}

// New returns the sandbox of a test. When the test ends, it fails if a rule was never used, and logs the issues of the
// scorecard.
func New(t testing.TB) *Sandbox {
	t.Helper()
	prefix := os.Getenv("PETSTORE_SANDBOX")
	if prefix == "" {
		prefix = "go"
	}
	s := &Sandbox{BaseURL: os.Getenv("PETSTORE_BASE_URL"), t: t}
	var made struct{ Name, Key string }
	s.Control("POST", "/sandboxes", map[string]string{"name": prefix + "-" + t.Name()}, &made)
	s.Key, s.path = made.Key, "/sandboxes/"+made.Name
	// An earlier run may have used it.
	s.Control("POST", s.path+"/reset", nil, nil)
	t.Cleanup(s.finish)
	return s
}

// Rule simulates a failure: Rule(`{"when": {"operation": "listPets"}, "reply": {"status": 503}, "times": 2}`).
func (s *Sandbox) Rule(rule string) {
	s.t.Helper()
	s.Control("POST", s.path+"/rules", json.RawMessage(rule), nil)
}

// PutPets replaces all pets: PutPets(`[{"id": 1, "name": "Rex", "categoryId": 1, "status": "sold"}]`).
func (s *Sandbox) PutPets(pets string) {
	s.t.Helper()
	s.Control("PUT", s.path+"/pets", json.RawMessage(pets), nil)
}

func (s *Sandbox) finish() {
	s.t.Helper()
	var pending struct{ Rules []json.RawMessage }
	s.Control("GET", s.path+"/rules?pending=true", nil, &pending)
	for _, rule := range pending.Rules {
		s.t.Errorf("No request matched this rule: %s", rule)
	}
	var cards struct {
		Scorecards []struct{ Issues []struct{ Title, Fix string } }
	}
	s.Control("GET", s.path+"/scorecard", nil, &cards)
	for _, card := range cards.Scorecards {
		for _, issue := range card.Issues {
			s.t.Logf("scorecard: %s: %s", issue.Title, issue.Fix)
		}
	}
}

// Control sends a request to the control API of the mock, and decodes the response if result is not nil.
func (s *Sandbox) Control(method, path string, body, result any) {
	s.t.Helper()
	if err := control(method, path, body, result); err != nil {
		s.t.Fatal(err)
	}
}

func control(method, path string, body, result any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, os.Getenv("PETSTORE_CONTROL_URL")+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("PETSTORE_CONTROL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s %s %v", method, path, response.Status, text, err)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(text, result)
}
