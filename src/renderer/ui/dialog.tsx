/** A dialog over the page: takes the focus, gives it back, closes with Esc. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'
import { classNames } from './class-names.ts'
import { firstFocusOf } from './first-focus.ts'

export interface DialogProps {
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
