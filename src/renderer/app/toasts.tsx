/**
 * Notices in their own strip below the window's content, where they cover nothing. A newer one replaces the last, but never a
 * failure: that stays until it is dismissed. The newest lines are shown; dismissing one shows the next older failure. The status bar
 * and the palette open the last failures again.
 */
import { Toast } from '@base-ui/react/toast'
import { CircleCheck, CircleX, TriangleAlert, X } from 'lucide-react'
import { useCallback } from 'react'
import { counted } from '../../shared/text/counted.ts'
import type { PastFailure } from '../ui-state/failures-slice.ts'
import type { Notice } from '../core-data/act.ts'
import { useApp, useParts } from '../ui-state/use-app.ts'
import { FootButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { QuotedText } from '../ui/finding-text.tsx'
import { clockTime, exactTime } from '../ui/moment.ts'

const SHOWN_FOR_MS = 5_000
const MOST_LINES = 3

type Manager = ReturnType<typeof Toast.createToastManager>

export function createNotifier() {
  const manager = Toast.createToastManager()
  /** The notice that the next one replaces. */
  let passing: string | null = null
  return {
    manager,
    notify: ({ tone, title, message, action, shownForMs = SHOWN_FOR_MS }: Notice) => {
      if (passing !== null) manager.close(passing)
      const id = manager.add({
        // The same failure again is the same line.
        ...(tone === 'bad' ? { id: `${title}\n${message ?? ''}` } : {}),
        title,
        ...(message === undefined ? {} : { description: <QuotedText text={message} /> }),
        type: tone,
        timeout: tone === 'bad' ? 0 : shownForMs,
        ...(action === undefined
          ? {}
          : {
              actionProps: {
                children: action.label,
                onClick: () => {
                  manager.close(id)
                  action.run()
                },
              },
            }),
      })
      passing = tone === 'bad' ? null : id
      return () => manager.close(id)
    },
  }
}

/** The window leaves this much room at its bottom (index.css). */
function useRoomBelow(): (strip: HTMLElement | null) => (() => void) | undefined {
  return useCallback((strip) => {
    if (strip === null) return undefined
    const { style } = document.documentElement
    const observer = new ResizeObserver(() =>
      style.setProperty('--notice-height', `${strip.offsetHeight}px`),
    )
    observer.observe(strip)
    return () => {
      observer.disconnect()
      style.removeProperty('--notice-height')
    }
  }, [])
}

export function Toasts({ manager }: { readonly manager: Manager }) {
  const strip = useRoomBelow()
  return (
    <Toast.Provider toastManager={manager} limit={MOST_LINES}>
      <Toast.Portal>
        <Toast.Viewport ref={strip} className="fixed inset-x-0 bottom-0 z-50 outline-none">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

/** Base UI's own urgent notices, and its buttons to close one, are hidden from screen readers until the notice has the focus. */
const announcedAtOnce = { role: 'alert', 'aria-modal': undefined } as const

function ToastList() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      {...(toast.type === 'bad' ? announcedAtOnce : {})}
      className="border-t border-line bg-raised transition-opacity duration-(--calm) data-ending-style:hidden data-limited:hidden data-starting-style:opacity-0"
    >
      <Toast.Content className="flex min-h-9 items-center gap-2.5 px-4 py-1">
        {toast.type === 'bad' && <CircleX size={15} className="shrink-0 text-bad" />}
        {toast.type === 'warn' && <TriangleAlert size={15} className="shrink-0 text-warn" />}
        {toast.type === 'ok' && <CircleCheck size={15} className="shrink-0 text-ok" />}
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5">
          <Toast.Title className="font-medium" />
          <Toast.Description className="text-small text-muted wrap-anywhere" />
        </div>
        <Toast.Action className="inline-flex h-6 shrink-0 items-center rounded-small px-2 font-medium text-accent hover:bg-control" />
        <Toast.Close
          aria-label="Dismiss"
          aria-hidden={undefined}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-small text-subtle hover:bg-control hover:text-text"
        >
          <X size={13} />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}

/** Status bar entry: opens the last failures. */
export function FailuresFoot() {
  const failures = useApp((state) => state.failures.past)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  if (failures.length === 0) return null
  return (
    <FootButton onClick={() => openOverlay('failures')}>
      <CircleX size={11} className="text-bad" />
      {counted(failures.length, 'recent failure')}
    </FootButton>
  )
}

const failureText = ({ at, title, message }: PastFailure) =>
  `${exactTime(at)} ${title}${message === undefined ? '' : `: ${message}`}`

/** The last failures of this window, newest first, also those that were dismissed. */
export function RecentFailures() {
  const failures = useApp((state) => state.failures.past)
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  return (
    <Dialog
      open={overlay === 'failures'}
      onClose={closeOverlay}
      title="Recent failures"
      description="Since this window opened. Not stored."
      wide
    >
      {failures.length === 0 ? (
        <p className="text-muted">No failures.</p>
      ) : (
        <ul aria-label="Recent failures" className="-my-2 flex flex-col">
          {failures.map((failure, place) => (
            <li
              key={failures.length - place}
              className="flex items-baseline gap-3 border-b border-line py-2 last:border-b-0"
            >
              <time
                dateTime={failure.at}
                title={exactTime(failure.at)}
                className="data shrink-0 text-subtle"
              >
                {clockTime(failure.at)}
              </time>
              <div className="min-w-0 flex-1">
                <p className="font-medium wrap-anywhere">
                  {failure.title}
                  {failure.times > 1 && (
                    <span className="font-normal text-subtle"> ({failure.times} times)</span>
                  )}
                </p>
                {failure.message !== undefined && (
                  <p className="text-small wrap-anywhere text-muted">
                    <QuotedText text={failure.message} />
                  </p>
                )}
              </div>
              <CopyButton
                text={failureText(failure)}
                label={`Copy "${failure.title}"`}
                className="-my-1"
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
