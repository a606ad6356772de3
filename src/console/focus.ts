/**
 * Moves the focus to Undo, or else the name of the screen, when what had it is gone, such as the button of a rule that
 * was removed. Otherwise it is lost, and a screen reader starts over at the top of the page.
 */
export function keepFocus(): void {
  let focused: Element | null = null
  addEventListener('focusin', ({ target }) => (focused = target as Element))
  // A click beside everything takes the focus away on purpose.
  addEventListener('pointerdown', ({ target }) => (focused = focused?.contains(target as Node) ? focused : null))
  new MutationObserver(() => {
    const isGone = focused?.isConnected === false || focused?.matches(':disabled')
    if (!isGone || document.activeElement !== document.body) return
    const next = document.querySelector<HTMLElement>('.undo') ?? document.querySelector('h1')
    next?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}
