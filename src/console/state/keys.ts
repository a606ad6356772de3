import { say } from './feedback.tsx'

const help = '/ searches, j and k open the next and the previous request, Escape closes it.'

/** Shortcuts of all screens. They leave fields and dialogs alone. */
export function onKey(event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey } = event
  const isTyping = target instanceof Element && target.matches('input, select, textarea, dialog *')
  if (isTyping || altKey || ctrlKey || metaKey) return
  if (key === '?') say(help)
  else if (key === '/') {
    event.preventDefault()
    document.querySelector<HTMLElement>('main input[type=search]')?.focus()
  } else if (key === 'j' || key === 'k') {
    const links = [...document.querySelectorAll<HTMLElement>('.requests tbody a')]
    const at = links.findIndex((link) => link.getAttribute('aria-current') === 'true')
    const next = links[at === -1 ? 0 : at + (key === 'j' ? 1 : -1)]
    next?.click()
    next?.focus()
  } else if (key === 'Escape')
    document.querySelector<HTMLElement>('.detail a.button.close')?.click()
}
