import { say } from './feedback.tsx'
import { cell } from './store.ts'

/** Whether the sheet of keys is open. */
export const isSheetOpen = cell(false)

/** Each key and what it does. */
export const keys: Readonly<Record<string, string>> = {
  '/': 'search',
  j: 'next request or row',
  k: 'previous request or row',
  Escape: 'close the request',
  '?': 'these keys',
}

/** Shortcuts of all screens. They leave fields and dialogs alone. */
export function onKey(event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey } = event
  const isTyping = target instanceof Element && target.matches('input, select, textarea, dialog *')
  if (isTyping || altKey || ctrlKey || metaKey) return
  if (key === '?') isSheetOpen.set(true)
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
