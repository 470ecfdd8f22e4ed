/** Notifications that the sandbox sent, newest first, with the handler's responses. */
import type { Notification } from '../../../shared/model/notification.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { clockTime, exactTime } from '../../ui/moment.ts'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { HandlerStatus, SentState, useSentRow, useSentWords } from './sent-parts.tsx'
import { useNotifications, useSandboxPlace } from './use-sandbox.ts'

/** Most notifications listed here; the log has all. */
const SHOWN = 30

export function SentList() {
  const { mode, environment } = useSandboxPlace()
  const { go, setQuery, show } = useAppParts((state) => ({
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
    show: state.sandbox.show,
  }))
  const sent = (useNotifications() ?? []).filter((one) => one.mode === mode)
  return (
    <section
      aria-label="Sent"
      data-pane="sent"
      tabIndex={-1}
      className="@container flex h-full min-h-0 min-w-0 flex-1 flex-col bg-ground"
    >
      <header className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
        <h2 className="font-medium">Sent</h2>
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          <span className="@max-[270px]:hidden">newest first</span>
        </span>
        {sent.length > 0 && (
          <Button
            kind="quiet"
            className="h-6 px-2 text-small"
            onClick={() => {
              go('deliveries')
              setQuery(`environment:${environment}`)
            }}
          >
            Show in Deliveries
          </Button>
        )}
      </header>
      {sent.length === 0 ? (
        <p className="px-4 py-3 text-muted">
          Nothing sent in {environment} yet. Each notification is listed here with the response.
        </p>
      ) : (
        <ol tabIndex={0} aria-label="Sent, newest first" className="min-h-0 flex-1 overflow-auto">
          {sent.slice(0, SHOWN).map((notification) => (
            <SentItem key={notification.id} notification={notification} />
          ))}
          {sent.length > SHOWN && (
            <li className="p-2">
              <Button kind="quiet" onClick={() => show({ view: 'log' })}>
                Show all {sent.length} in the log
              </Button>
            </li>
          )}
        </ol>
      )}
    </section>
  )
}

function SentItem({ notification }: { readonly notification: Notification }) {
  const show = useApp((state) => state.sandbox.show)
  const { id, event, attempts } = notification
  const last = attempts.at(-1)
  const sent = { notification, row: useSentRow(notification) }
  const words = useSentWords(sent)
  return (
    <li className="border-b border-line/60">
      <button
        type="button"
        title="Show in the log"
        onClick={() => show({ view: 'log', id })}
        className="grid w-full grid-cols-[minmax(0,1fr)_auto_auto] gap-x-2 gap-y-0.5 px-4 py-2 text-left outline-offset-[-2px] hover:bg-raised"
      >
        <span className="col-span-2 min-w-0">
          <TintedEvent event={event} />
        </span>
        <span className="col-span-2 flex min-w-0 text-small font-medium">
          <SentState {...sent} />
        </span>
        <span
          className="col-start-3 row-start-1 data text-right text-subtle"
          title={last && exactTime(last.at)}
        >
          {last && clockTime(last.at).slice(0, 8)}
        </span>
        {notification.nextAt === null ? (
          <HandlerStatus {...sent} />
        ) : (
          <span className="data text-right text-warn">
            {attempts.length} of {MAX_ATTEMPTS} sent
          </span>
        )}
        {words !== '' && (
          <span className="col-span-3 line-clamp-2 text-small wrap-anywhere text-muted">
            {words}
          </span>
        )}
      </button>
    </li>
  )
}
