module example.com/our-shop

go 1.21
