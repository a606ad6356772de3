import { render } from 'preact'
import { App } from './app.tsx'
import { keepFocus } from './state/focus.ts'
import { followMock } from './state/live.ts'

const root = document.querySelector('#app')
if (root !== null) {
  followMock()
  keepFocus()
  render(<App />, root)
}
