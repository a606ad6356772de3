import { render } from 'preact'
import { App } from './app.tsx'
import { followMock } from './live.ts'

const root = document.querySelector('#app')
if (root !== null) {
  followMock()
  render(<App />, root)
}
