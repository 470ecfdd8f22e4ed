/** The result of the last trigger. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { Notification } from '../../../shared/model/notification.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { outcomeOfAttempt } from '../../../shared/model/service-outcomes.ts'
import { counted } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { kindNames, objectKinds } from './catalogue.ts'
import { DeliveryLink, NotificationState } from './log-view.tsx'
import { useNotifications, useObjects } from './use-sandbox.ts'

/** Shows the result of the last trigger: notifications with their deliveries, and objects. */
export function TriggerResultView() {
  const result = useApp((state) => state.sandbox.trigger.result)
  const notifications = useNotifications()
  const objects = useObjects()
  if (result === null) return null
  // The current state: later attempts follow automatically.
  const sent = result.deliveries.map((one) => notifications?.find(({ id }) => id === one.id) ?? one)
  const involved = objectKinds.flatMap(
    (kind) => objects?.find((one) => one.kind === kind && one.id === result.objects[kind]) ?? [],
  )
  return (
    <section
      aria-label="Result"
      className="max-h-[38%] shrink-0 overflow-auto border-t border-line bg-ground"
      tabIndex={0}
    >
      <h2 className="flex items-center gap-3 px-4 pt-2.5 pb-1 font-medium">
        Result
        <span className="text-small font-normal text-subtle">
          {counted(sent.length, 'notification')} in {result.environment}
        </span>
      </h2>
      <ul>
        {sent.map((notification) => (
          <SentNotification key={notification.id} notification={notification} />
        ))}
      </ul>
      {involved.length > 0 && <InvolvedObjects objects={involved} />}
    </section>
  )
}

function SentNotification({ notification }: { readonly notification: Notification }) {
  const show = useApp((state) => state.sandbox.show)
  const last = notification.attempts.at(-1)
  return (
    <li className="flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line/50 px-4 py-0.5">
      <span className="w-28 shrink-0">
        <NotificationState notification={notification} />
      </span>
      <span className="data min-w-0 flex-1 basis-28 truncate" title={visibleText(notification.url)}>
        {visibleText(notification.event)}
      </span>
      <span className="data min-w-0 truncate text-muted">
        {notification.reason?.split('. ')[0] ??
          (last === undefined ? '' : outcomeOfAttempt(last).word)}
      </span>
      <span className="w-40 shrink-0 @max-[560px]:w-auto">
        {last !== undefined && <DeliveryLink attempt={last} />}
      </span>
      <Button
        kind="quiet"
        className="h-6 px-1.5 text-small"
        aria-label={`Show ${notification.event} in the log`}
        onClick={() => show({ view: 'log', id: notification.id })}
      >
        Log
      </Button>
    </li>
  )
}

function InvolvedObjects({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const show = useApp((state) => state.sandbox.show)
  return (
    <p className="flex flex-wrap items-center gap-x-1 px-3 py-1.5 text-small">
      <span className="px-1 text-subtle">Objects</span>
      {objects.map(({ id, kind }) => (
        <button
          key={id}
          type="button"
          onClick={() => show({ view: 'objects', kind, id })}
          className="inline-flex h-6 max-w-60 items-center gap-1.5 rounded-small px-1.5 text-muted hover:bg-control hover:text-text"
        >
          {kindNames[kind].one}
          <span className="data">{visibleText(shortIdOf(id))}</span>
        </button>
      ))}
    </p>
  )
}
