// Package ourshop is a client of the Pet Store Service, with nothing but Go's standard library.
package ourshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Pet as the service returns it. A float64, or `any`, would round large ids.
type Pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

// A NewPet is the body of a creation. Without a status, the service chooses one.
type NewPet struct {
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

// An Error is the Error body of a response, or describes a response without one.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

// ErrUnclear: the pet may have been created. Check the list before you send it again.
var ErrUnclear = errors.New("the result of the creation is unknown")

// A Client sends requests to one deployment. The zero values of HTTP and Sleep are http.DefaultClient and time.Sleep.
type Client struct {
	BaseURL string
	APIKey  string
	HTTP    *http.Client
	Sleep   func(time.Duration)
}

const attempts = 5

// List returns at most limit pets (1 to 100), all of them or those with one status. There are no further pages.
func (c *Client) List(ctx context.Context, limit int, status string) ([]Pet, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if status != "" {
		query.Set("status", status)
	}
	var pets []Pet
	return pets, c.send(ctx, http.MethodGet, "/pets?"+query.Encode(), nil, &pets)
}

// Add creates a pet and returns it with its id.
func (c *Client) Add(ctx context.Context, pet NewPet) (Pet, error) {
	var added Pet
	return added, c.send(ctx, http.MethodPost, "/pets", pet, &added)
}

func (c *Client) send(ctx context.Context, method, path string, body, result any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		wait, err := c.once(ctx, method, path, sent, result)
		if err == nil || wait < 0 || attempt == attempts {
			return err
		}
		if wait == 0 {
			wait = 250 * time.Millisecond << attempt
		}
		if c.Sleep != nil {
			c.Sleep(wait)
		} else {
			time.Sleep(wait)
		}
	}
}

// once sends one request. With an error, it returns how long to wait before a retry: 0 if the client chooses, negative if
// it must not retry.
func (c *Client) once(ctx context.Context, method, path string, sent []byte, result any) (time.Duration, error) {
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(sent)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.BaseURL, "/")+path, body)
	if err != nil {
		return -1, err
	}
	request.Header.Set("Authorization", "Bearer "+c.APIKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		// Without GetBody, Go does not retry the request when a connection breaks.
		request.GetBody = nil
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return failure(method, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return failure(method, err)
	}
	if response.StatusCode < 300 {
		if err := json.Unmarshal(text, result); err != nil {
			return failure(method, err)
		}
		return 0, nil
	}
	problem := &Error{}
	if json.Unmarshal(text, problem) != nil || problem.Code == "" {
		// The response came from something else, such as a gateway.
		problem = &Error{Code: "unknown", Message: http.StatusText(response.StatusCode)}
	}
	problem.Status = response.StatusCode
	return retry(method, response, problem)
}

// failure handles a request without a response: a list can be retried, a creation may have succeeded.
func failure(method string, err error) (time.Duration, error) {
	if method == http.MethodPost {
		return -1, fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return 0, err
}

// retry decides whether a failed request is retried. A creation is only if the service says that it created no pet.
func retry(method string, response *http.Response, problem *Error) (time.Duration, error) {
	after, err := strconv.Atoi(response.Header.Get("Retry-After"))
	wait, given := time.Duration(after)*time.Second, err == nil
	switch status := response.StatusCode; {
	case status == 429, given && status == 503:
		return wait, problem
	case method == http.MethodPost && status >= 500:
		return -1, fmt.Errorf("%w: %w", ErrUnclear, problem)
	case status == 502, status == 503, status == 504:
		return wait, problem
	}
	return -1, problem
}
