// Adds a button to each command, and replaces a fold of lines to copy with one. Without scripts, a click selects the text.

/**
 * @param {Element} text
 * @param {Element} label
 */
async function copy(text, label) {
  getSelection()?.selectAllChildren(text)
  const isWritten = navigator.clipboard?.writeText(text.textContent ?? '').then(
    () => true,
    () => false,
  )
  // oxlint-disable-next-line typescript/no-deprecated -- Pages from another machine without HTTPS have no clipboard.
  const isCopied = (await isWritten) || document.execCommand('copy')
  label.textContent = isCopied ? 'Copied' : 'Selected'
}
for (const text of document.querySelectorAll('pre.copied')) {
  const fold = text.closest('details:has(> .copies)')
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = fold?.firstElementChild?.textContent ?? 'Copy curl'
  button.addEventListener('click', () => {
    text.removeAttribute('hidden')
    void copy(text, button)
  })
  text.after(button)
  // Only what is shown can be selected.
  text.toggleAttribute('hidden', fold !== null)
  fold?.replaceWith(button, text)
}
