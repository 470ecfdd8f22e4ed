/** Notices in the corner: at most three, never one per delivery. A failure stays until dismissed. */
import { Toast } from '@base-ui/react/toast'
import { CircleCheck, CircleX, TriangleAlert, X } from 'lucide-react'
import type { Notice } from '../state/slice-context.ts'
import { QuotedText } from '../ui/finding-text.tsx'

const SHOWN_FOR_MS = 5_000

type Manager = ReturnType<typeof Toast.createToastManager>

export function createNotifier() {
  const manager = Toast.createToastManager()
  return {
    manager,
    notify: ({ tone, title, message, action, shownForMs = SHOWN_FOR_MS }: Notice) => {
      const id = manager.add({
        title,
        ...(message === undefined ? {} : { description: <QuotedText text={message} /> }),
        type: tone,
        priority: tone === 'bad' ? 'high' : 'low',
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
      return () => {
        manager.close(id)
      }
    },
  }
}

export function Toasts({ manager }: { readonly manager: Manager }) {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        {/* A dialog has its buttons at the right, where they would be covered. */}
        <Toast.Viewport className="fixed right-4 bottom-9 z-50 flex w-[360px] max-w-[calc(100vw-32px)] flex-col gap-2 outline-none [body:has([data-dialog])_&]:right-auto [body:has([data-dialog])_&]:left-4">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="rounded-control border border-line bg-raised shadow-overlay transition-opacity duration-(--calm) data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2.5 py-2.5 pr-2 pl-3">
        {toast.type === 'bad' && <CircleX size={15} aria-hidden className="mt-0.5 shrink-0 text-bad" />}
        {toast.type === 'warn' && <TriangleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-warn" />}
        {toast.type === 'ok' && <CircleCheck size={15} aria-hidden className="mt-0.5 shrink-0 text-ok" />}
        <div className="min-w-0 flex-1">
          <Toast.Title className="font-medium" />
          <Toast.Description className="text-small text-muted wrap-anywhere" />
        </div>
        <Toast.Action className="inline-flex h-6 shrink-0 items-center rounded-small px-2 font-medium text-accent hover:bg-control" />
        <Toast.Close
          aria-label="Dismiss"
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-small text-subtle hover:bg-control hover:text-text"
        >
          <X size={13} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
