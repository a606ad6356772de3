package shop

import (
	"fmt"
	"reflect"
	"testing"

	"example.com/shop/petstoretest"
)

func TestListsWhatIsForSale(t *testing.T) {
	petstore := petstoretest.New(t)
	petstore.PutPets(`[
		{"id": 1, "name": "Rex", "categoryId": 1, "status": "available"},
		{"id": 2, "name": "Mia", "categoryId": 1, "status": "sold"}
	]`)
	names, err := NamesForSale(petstore.BaseURL, petstore.Key)
	if err != nil || !reflect.DeepEqual(names, []string{"Rex"}) {
		t.Fatal(names, err)
	}
}

func TestTriesAgainWhenTheServiceIsBusy(t *testing.T) {
	t.Parallel()
	petstore := petstoretest.New(t)
	petstore.Rule(`{"when": {"operation": "listPets"}, "reply": {"status": 503, "headers": {"retry-after": "0"}}, "times": 1}`)
	if names, err := NamesForSale(petstore.BaseURL, petstore.Key); err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
}

func TestShowsOtherFailures(t *testing.T) {
	for _, status := range []int{500, 502} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			petstore := petstoretest.New(t)
			petstore.Rule(fmt.Sprintf(`{"reply": {"status": %d}}`, status))
			if names, err := NamesForSale(petstore.BaseURL, petstore.Key); err == nil {
				t.Fatal(names)
			}
		})
	}
}
