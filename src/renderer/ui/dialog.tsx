/** A dialog over the page: takes the focus, gives it back, closes with Esc. With its foot, and what has the focus first. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

/** The best first. A choice between views (`role=radio` as segments) comes after what is typed: it has a value already. */
const ranks = [
  'input:not([type=radio], [type=checkbox], [type=file]), textarea, select, [contenteditable=true]',
  'input[type=radio]:checked, input[type=checkbox]',
  'button[data-kind=primary]',
  'button[data-kind=plain]',
] as const

const isUsable = (element: HTMLElement) => !element.matches(':disabled, [readonly]') && element.checkVisibility()

/** Null where there is neither a field nor such a button: it is there to be read. */
function firstFocusOf(content: HTMLElement): HTMLElement | null {
  for (const rank of ranks) {
    const found = [...content.querySelectorAll<HTMLElement>(rank)].find(isUsable)
    if (found !== undefined) return found
  }
  return null
}

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: string
  readonly wide?: boolean
  /** As large as the window allows, its content filling it without padding. */
  readonly large?: boolean
  /** What takes the focus; where it is not given, what `firstFocusOf` says, unless the content has taken it (`useFirstFocus`). */
  readonly initialFocus?: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

export function Dialog({ open, onClose, title, description, wide = false, large = false, initialFocus, children }: DialogProps) {
  const content = useRef<HTMLDivElement>(null)
  /** What had the focus before, noted before the content can take it. */
  const opener = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (open) opener.current = document.activeElement
  }, [open])
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Base.Popup
          data-dialog=""
          initialFocus={initialFocus ?? (() => beginningOf(content.current))}
          finalFocus={() => endOf(opener.current)}
          className={classNames(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-48px)] w-[calc(100vw-48px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-control border border-line bg-surface shadow-overlay outline-none',
            large ? 'h-[min(880px,calc(100dvh-48px))] max-w-[1180px]' : wide ? 'max-w-[720px]' : 'max-w-[520px]',
          )}
        >
          <header className="flex shrink-0 items-start gap-4 border-b border-line px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-title font-medium">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="mt-0.5 text-small text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              aria-label="Close"
              className="-mt-1 -mr-2 inline-flex size-7 items-center justify-center rounded-control text-muted hover:bg-control hover:text-text"
            >
              <X size={15} aria-hidden />
            </Base.Close>
          </header>
          <div
            ref={content}
            tabIndex={-1}
            className={classNames(
              'outline-none',
              large ? 'flex min-h-0 flex-1 flex-col' : 'min-h-0 scroll-pb-16 overflow-auto px-5 py-4',
            )}
          >
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** False: the content has it. What is only read takes it itself, so that the keys scroll it. */
function beginningOf(content: HTMLElement | null): HTMLElement | boolean {
  if (content === null) return true
  return content.contains(document.activeElement) ? false : (firstFocusOf(content) ?? content)
}

/** True: what had it before that has gone, a palette or a menu; the primitive knows what had it before. */
function endOf(opener: Element | null): HTMLElement | boolean {
  return opener instanceof HTMLElement && opener !== document.body && opener.isConnected ? opener : true
}

/** The dialog takes the focus itself when the element that has it goes, at once or in one of the next frames. */
const FRAMES = 3

/** `ready`: whether it can have the focus yet; a button that is disabled cannot, and gets it as soon as it is not. */
export function useFirstFocus<T extends HTMLElement>(ready = true): RefObject<T | null> {
  const element = useRef<T>(null)
  const given = useRef(false)
  useEffect(() => {
    if (!ready || given.current) return
    given.current = true
    element.current?.focus()
    let left = FRAMES
    const keep = () => {
      const { activeElement } = document
      // Only what lies around it is taken back from: where a person has gone meanwhile, they stay.
      if (activeElement !== element.current && activeElement?.contains(element.current) === true) element.current?.focus()
      if (--left > 0) requestAnimationFrame(keep)
    }
    requestAnimationFrame(keep)
  }, [ready])
  return element
}

/** Over the padding of the dialog, at whose lower edge it stands. */
const look =
  'sticky -bottom-4 -mx-5 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-5 py-3'

interface FormFootProps {
  readonly onCancel: () => void
  /** What sending does, in the words of the button; `busyWords` while it does. */
  readonly action: string
  readonly busyWords: string
  readonly busy: boolean
  readonly disabled?: boolean
  readonly danger?: boolean
  /** Another way, on the other side. */
  readonly aside?: ReactNode
}

/**
 * The foot of a dialog with a form: the way out, and the button that sends it; and of one that has told something: one button. It stays
 * in view where the dialog is longer than the window.
 */
export function FormFoot({ onCancel, action, busyWords, busy, disabled = false, danger = false, aside }: FormFootProps) {
  return (
    <div className={look}>
      {aside}
      <Button className="h-8" onClick={onCancel}>
        Cancel
      </Button>
      <Button kind={danger ? 'danger' : 'primary'} type="submit" className="h-8" disabled={busy || disabled}>
        {busy ? busyWords : action}
      </Button>
    </div>
  )
}

export function DoneFoot({ onDone }: { readonly onDone: () => void }) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <div className={look}>
      <Button kind="primary" className="h-8" onClick={onDone} ref={first}>
        Done
      </Button>
    </div>
  )
}
