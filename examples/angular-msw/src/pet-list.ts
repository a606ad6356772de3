import { HttpClient, type HttpErrorResponse } from '@angular/common/http'
import { Component, inject, signal } from '@angular/core'

interface Pet {
  name: string
}

@Component({
  selector: 'pet-list',
  template: `
    @if (problem()) {
      <p role="alert">
        {{ problem() }}
        <button (click)="load()">Try again</button>
      </p>
    } @else {
      <ul>
        @for (pet of pets(); track $index) {
          <li>{{ pet.name }}</li>
        }
      </ul>
    }
  `,
})
export class PetList {
  readonly pets = signal<Pet[]>([])
  readonly problem = signal('')
  readonly #http = inject(HttpClient)

  constructor() {
    this.load()
  }

  load(): void {
    this.problem.set('')
    this.#http
      .get<Pet[]>('https://api.example.com/v1/pets?status=available&limit=5', {
        headers: { Authorization: 'Bearer petstore-test-key' },
      })
      .subscribe({
        next: (pets) => this.pets.set(pets),
        error: ({ status }: HttpErrorResponse) =>
          this.problem.set(
            status === 0
              ? 'The pet store cannot be reached.'
              : `The pet store has a problem (${status}).`,
          ),
      })
  }
}
