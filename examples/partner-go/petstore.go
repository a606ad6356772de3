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

// A Pet as the service returns it. An int64 holds every id; a float64, or `any`, would round large ones.
type Pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

// A NewPet is what a creation sends. Without a status the service chooses one.
type NewPet struct {
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

// An Error is the Error body of a response, or what was found in place of one.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

// ErrUnclear says that a creation may be done or not: look at the list before you send it again.
var ErrUnclear = errors.New("the creation got no clear response")

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

// once sends one request. With an error it returns how long to wait before the next attempt: 0 is for the client to
// choose, and a negative time means that there must be none.
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
		// Go sends a request again by itself when a connection breaks and its body can be read twice.
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
		// Something in between responded, such as a gateway.
		problem = &Error{Code: "unknown", Message: http.StatusText(response.StatusCode)}
	}
	problem.Status = response.StatusCode
	return retry(method, response, problem)
}

// failure is that of a request without a response: a list can be read again, a creation may be done.
func failure(method string, err error) (time.Duration, error) {
	if method == http.MethodPost {
		return -1, fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return 0, err
}

// retry says whether a refused request may be sent again. A creation may only when the service says that it is not done.
func retry(method string, response *http.Response, problem *Error) (time.Duration, error) {
	after, err := strconv.Atoi(response.Header.Get("Retry-After"))
	wait, said := time.Duration(after)*time.Second, err == nil
	switch status := response.StatusCode; {
	case status == 429, said && status == 503:
		return wait, problem
	case method == http.MethodPost && status >= 500:
		return -1, fmt.Errorf("%w: %w", ErrUnclear, problem)
	case status == 502, status == 503, status == 504:
		return wait, problem
	}
	return -1, problem
}
