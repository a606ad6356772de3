import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Notices } from '../state/feedback.tsx'

/** A modal dialog. Escape closes it and returns the focus to the element that opened it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
}) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    element.current?.showModal()
    // The browser would focus the Close button.
    element.current?.querySelector<HTMLElement>('[required]')?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <header class="head">
        <h2>{title}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
      {/* Notices outside a modal dialog are behind it. */}
      <Notices />
    </dialog>
  )
}
