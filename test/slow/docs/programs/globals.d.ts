import type { Mock } from 'petstore-kit/mock'

/** Names that the pages use without an import. */
declare global {
  const mock: Mock
  const petStore: Mock
  const client: { listPets(): Promise<unknown> }
  const baseUrl: string
  const apiKey: string
  function describe(title: string, define: () => void): void
  function it(title: string, test: () => unknown): void
  function beforeAll(task: () => unknown): void
  function afterEach(task: () => unknown): void
  function afterAll(task: () => unknown): void
}
