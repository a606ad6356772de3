package ourshop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// control sends a request to the control API of the test's sandbox and returns the response.
func control(t *testing.T, method, path, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, os.Getenv("PETSTORE_CONTROL_URL")+"/sandboxes"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	return string(text)
}

// open returns a client in a reset sandbox, and the waits that it skips.
func open(t *testing.T) (*Client, *[]time.Duration) {
	control(t, "POST", "", `{"name": "our-shop"}`)
	// Keep the journal: the scorecard at the end covers all tests.
	reset := func() { control(t, "POST", "/our-shop/reset", `{"journal": "keep"}`) }
	reset()
	t.Cleanup(reset)
	waits := []time.Duration{}
	return &Client{
		BaseURL: os.Getenv("PETSTORE_BASE_URL"),
		APIKey:  os.Getenv("PETSTORE_API_KEY"),
		HTTP:    &http.Client{Timeout: time.Second},
		Sleep: func(wait time.Duration) {
			waits = append(waits, wait)
			control(t, "POST", "/our-shop/clock/advance", fmt.Sprintf(`{"ms": %d}`, wait.Milliseconds()))
		},
	}, &waits
}

func rule(t *testing.T, rule string) { control(t, "POST", "/our-shop/rules", rule) }

func TestIntegersAreExact(t *testing.T) {
	client, _ := open(t)
	control(t, "PUT", "/our-shop/pets", `[{"id": 9007199254740993, "name": "Max", "categoryId": 9223372036854775807, "status": "sold"}]`)
	pets, err := client.List(context.Background(), 20, "sold")
	if want := (Pet{9007199254740993, "Max", 9223372036854775807, "sold"}); err != nil || len(pets) != 1 || pets[0] != want {
		t.Fatal(pets, err)
	}
	// A service may reject the categoryId that no pet has.
	control(t, "POST", "/our-shop/pets", `[{"name": "Leo", "categoryId": -9223372036854775808}]`)
	added, err := client.Add(context.Background(), NewPet{Name: "Zoë", CategoryID: -9223372036854775808})
	if err != nil || added.CategoryID != -9223372036854775808 || added.Name != "Zoë" {
		t.Fatal(added, err)
	}
}

func TestWaitsAsLongAsTheServiceSays(t *testing.T) {
	client, waits := open(t)
	rule(t, `{"rateLimit": {"requests": 2, "windowMs": 30000}}`)
	for range [3]int{} {
		if _, err := client.List(context.Background(), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	if len(*waits) != 1 || (*waits)[0] > 30*time.Second {
		t.Fatal(*waits)
	}
}

func TestReadsAListAgainWhenAConnectionBreaks(t *testing.T) {
	for _, fault := range []string{"reset", "truncated-body"} {
		client, _ := open(t)
		rule(t, `{"when": {"operation": "listPets"}, "fault": "`+fault+`", "times": 1}`)
		if _, err := client.List(context.Background(), 1, ""); err != nil {
			t.Error(fault, err)
		}
	}
}

func TestSendsACreationAgainOnlyWhenItIsNotDone(t *testing.T) {
	client, waits := open(t)
	rule(t, `{"when": {"operation": "createPet"}, "reply": {"status": 503, "headers": {"retry-after": "3"}}, "times": 1}`)
	if _, err := client.Add(context.Background(), NewPet{Name: "Rex", CategoryID: 1}); err != nil || (*waits)[0] != 3*time.Second {
		t.Fatal(*waits, err)
	}
	for name, effect := range map[string]string{"Ace": `"reply": {"status": 500}`, "Gus": `"fault": "reset"`, "Leo": `"fault": "truncated-body"`} {
		client, waits := open(t)
		rule(t, `{"when": {"operation": "createPet"}, `+effect+`}`)
		_, err := client.Add(context.Background(), NewPet{Name: name, CategoryID: 1})
		if !errors.Is(err, ErrUnclear) || len(*waits) > 0 {
			t.Error(effect, *waits, err)
		}
	}
}

func TestShowsARejectionInTheWordsOfTheService(t *testing.T) {
	client, _ := open(t)
	rule(t, `{"when": {"operation": "createPet"}, "reply": {"status": 400, "code": "full", "message": "The store is full."}}`)
	_, err := client.Add(context.Background(), NewPet{Name: "Rex", CategoryID: 1})
	var rejection *Error
	if !errors.As(err, &rejection) || err.Error() != "400 full: The store is full." {
		t.Fatal(err)
	}
}
