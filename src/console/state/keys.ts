import { say } from './feedback.tsx'

const help =
  '/ searches, j and k go to the next and the previous request or item, Escape closes a request.'

/** Shortcuts of all screens. They leave fields and dialogs alone. */
export function onKey(event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey } = event
  const isTyping = target instanceof Element && target.matches('input, select, textarea, dialog *')
  if (isTyping || altKey || ctrlKey || metaKey) return
  if (key === '?') say(help)
  else if (key === '/') {
    event.preventDefault()
    const field = document.querySelector<HTMLElement>('main input[type=search]')
    if (field === null) say('There is nothing to search on this screen.')
    else field.focus()
  } else if (key === 'j' || key === 'k') {
    const links = [...document.querySelectorAll<HTMLElement>('.requests tbody a')]
    const at = links.findIndex((link) => link.getAttribute('aria-current') === 'true')
    const next = links[at === -1 ? 0 : at + (key === 'j' ? 1 : -1)]
    next?.click()
    next?.focus()
    if (links.length === 0) moveFocus(key === 'j' ? 1 : -1)
  } else if (key === 'Escape')
    document.querySelector<HTMLElement>('.detail a.button.close')?.click()
}

/** To the first control of the next or the previous row or card of the screen. */
function moveFocus(step: 1 | -1): void {
  const items = [...document.querySelectorAll('main :is(tbody tr, ul.stack > li)')]
  const at = items.findIndex((item) => item.contains(document.activeElement))
  items[at === -1 ? 0 : at + step]?.querySelector<HTMLElement>('a, button, summary, input')?.focus()
}
