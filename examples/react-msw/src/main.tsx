import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { Page } from './page.tsx'
import { createPetStore } from './pet-store.ts'

// The condition is false in a production build, so the bundle does not contain the mock.
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
