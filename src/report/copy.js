// Adds a button to each command, and copies what a summary unfolds. Without scripts, a click selects the text.

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
  const around = text.closest('details')
  const summary = around?.firstElementChild
  if (summary?.matches('.copies')) {
    around?.addEventListener('toggle', () => void (around.open && copy(text, summary)))
    continue
  }
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(text, button))
  text.after(button)
}
