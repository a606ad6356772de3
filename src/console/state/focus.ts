/**
 * Moves the focus to Undo, or else to the heading, when the focused element is removed, such as the button of a deleted
 * rule. Otherwise the focus is lost, and a screen reader starts over at the top of the page.
 */
export function keepFocus(): void {
  let focused: Element | null = null
  addEventListener('focusin', ({ target }) => (focused = target as Element))
  // A click outside removes the focus on purpose.
  addEventListener(
    'pointerdown',
    ({ target }) => (focused = focused?.contains(target as Node) ? focused : null),
  )
  new MutationObserver(() => {
    const isGone = focused?.isConnected === false || focused?.matches(':disabled')
    if (!isGone || document.activeElement !== document.body) return
    const next = document.querySelector<HTMLElement>('.undo') ?? document.querySelector('h1')
    next?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}
