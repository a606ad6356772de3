// The generated client has no go.mod: it is the package petstore of this module.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/client/petstore"
)

func main() {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Getenv("PETSTORE_BASE_URL")}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("PETSTORE_API_KEY"))
	pets := petstore.NewAPIClient(configuration).PetsAPI
	ctx := context.Background()

	listed, _, err := pets.ListPets(ctx).Limit(100).Execute()
	check(err)
	for _, pet := range listed {
		fmt.Println("listed", pet.Id, pet.CategoryId)
	}
	created, _, err := pets.CreatePet(ctx).PetDraft(*petstore.NewPetDraft("Zoë", -9223372036854775807)).Execute()
	check(err)
	fmt.Println("created", created.Name, created.CategoryId)
	found, _, err := pets.GetPet(ctx, created.Id).Execute()
	check(err)
	fmt.Println("found", found.Name, found.CategoryId)
	_, response, err := pets.GetPet(ctx, 404404).Execute()
	if failure, is := err.(*petstore.GenericOpenAPIError); is {
		if body, is := failure.Model().(petstore.Error); is {
			fmt.Println("error", response.StatusCode, body.Status)
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
