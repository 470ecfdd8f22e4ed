/**
 * Notices in a strip below the content. The next one replaces the last; failures stay until
 * dismissed, and the status bar and palette reopen the latest.
 */
import { Toast } from '@base-ui/react/toast'
import { CircleCheck, CircleX, TriangleAlert, X } from 'lucide-react'
import { useCallback } from 'react'
import type { Notice } from '../core-data/act.ts'
import { QuotedText } from '../ui/finding-text.tsx'

const SHOWN_FOR_MS = 5_000
const MOST_LINES = 3

type Manager = ReturnType<typeof Toast.createToastManager>

export function createNotifier() {
  const manager = Toast.createToastManager()
  /** Id of the notice on screen that the next one replaces; null if it must be dismissed. */
  let replaceableId: string | null = null
  return {
    manager,
    notify: ({ tone, title, message, action, shownForMs = SHOWN_FOR_MS }: Notice) => {
      if (replaceableId !== null) manager.close(replaceableId)
      const id = manager.add({
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
      replaceableId = tone === 'bad' ? null : id
      return () => manager.close(id)
    },
  }
}

/** Returns a ref for the strip, whose height is written to `--notice-height` (index.css). */
function useNoticeHeight(): (strip: HTMLElement | null) => (() => void) | undefined {
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
  const strip = useNoticeHeight()
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

/** Attributes of urgent notices, which Base UI hides from screen readers until they are focused. */
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
