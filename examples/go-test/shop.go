// Package shop lists what a shop can sell: the code under test.
package shop

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// NamesForSale returns the names of the available pets. It tries again once when the service is busy.
func NamesForSale(baseURL, key string) ([]string, error) {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest("GET", baseURL+"/pets?status=available&limit=100", nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode == http.StatusServiceUnavailable && attempt == 1 {
			continue
		}
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the service responded %s", response.Status)
		}
		var pets []struct{ Name string }
		if err := json.NewDecoder(response.Body).Decode(&pets); err != nil {
			return nil, err
		}
		names := make([]string, len(pets))
		for index, pet := range pets {
			names[index] = pet.Name
		}
		return names, nil
	}
}
