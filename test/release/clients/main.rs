progenitor::generate_api!("petstore-3.0.json");

use std::env::var;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut headers = reqwest::header::HeaderMap::new();
    let key = format!("Bearer {}", var("PETSTORE_API_KEY").unwrap());
    headers.insert("authorization", key.parse().unwrap());
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    let client = Client::new_with_client(&var("PETSTORE_BASE_URL").unwrap(), http);

    let limit = std::num::NonZeroU64::new(100);
    let listed = client.list_pets(limit, None).await.unwrap().into_inner();
    for pet in listed.iter() {
        println!("listed {} {}", pet.id, pet.category_id);
    }
    let wanted = types::NewPet { name: "Zoë".into(), category_id: -i64::MAX, status: None };
    let created = client.create_pet(&wanted).await.unwrap().into_inner();
    println!("created {} {}", created.name, created.category_id);
    let found = client.get_pet(created.id).await.unwrap().into_inner();
    println!("found {} {}", found.name, found.category_id);
    if let Err(progenitor_client::Error::ErrorResponse(response)) = client.get_pet(404404).await {
        println!("error {} {}", response.status().as_u16(), response.into_inner().status);
    }
}
