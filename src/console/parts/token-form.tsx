import { useState } from 'preact/hooks'
import { token, tokenIsMissing } from '../state/api.ts'
import { Submit } from './layout.tsx'

/** A form for the token of the control API, once per tab. */
export function TokenForm() {
  const [text, setText] = useState('')
  const wasRejected = token.get() !== ''

  function submit(event: Event): void {
    event.preventDefault()
    tokenIsMissing.set(false)
    token.set(text.trim())
  }

  return (
    <form class="card narrow" onSubmit={submit}>
      <h1 tabIndex={-1}>This mock needs its token</h1>
      <p class="soft">
        The mock printed it when it started, or you set it with <code>--control-token</code>. The
        token is kept until you close this tab. A sandbox key opens only its sandbox.
      </p>
      {wasRejected && (
        <p class="notice bad" role="alert">
          The mock does not accept this token.
        </p>
      )}
      <label>
        Token of the control API
        <input
          type="password"
          autocomplete="off"
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Submit>Open the console</Submit>
    </form>
  )
}
