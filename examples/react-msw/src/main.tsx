import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { Page } from './page.tsx'
import { createPetStore } from './pet-store.ts'

// The condition is false when the page is built, and the mock is not in what is built.
if (import.meta.env.DEV) await (await import('./mocks/browser.ts')).worker.start()

const store = createPetStore({
  baseUrl: import.meta.env['VITE_PETSTORE_URL'] as string,
  apiKey: import.meta.env['VITE_PETSTORE_KEY'] as string,
})

createRoot(document.querySelector('#page') as Element).render(
  <StrictMode>
    <Page store={store} />
  </StrictMode>,
)
