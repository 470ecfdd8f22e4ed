/** The result of the last trigger: notifications with their deliveries, and created objects. */
import { lookOfAttempt } from '../../../shared/model/outcomes.ts'
import { useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { DeliveryLink, NotificationState } from './notification-state.tsx'
import { kindNames, objectKinds } from './object-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

export function TriggerResultView() {
  const {
    triggerResult: result,
    notifications,
    objects,
    show: showSandbox,
    selectNotification,
    showObject,
  } = useParts(
    'sandbox',
    'triggerResult',
    'notifications',
    'objects',
    'show',
    'selectNotification',
    'showObject',
  )
  if (result === null) return null
  // The current state: later attempts follow automatically.
  const sent = result.deliveries.map((one) => notifications?.find(({ id }) => id === one.id) ?? one)
  const about = objectKinds.flatMap((kind) => {
    const object = objects?.find((one) => one.kind === kind && one.id === result.objects[kind])
    return object === undefined ? [] : [object]
  })
  return (
    <section
      aria-label="Result"
      className="max-h-[38%] shrink-0 overflow-auto border-t border-line bg-ground"
      tabIndex={0}
    >
      <h2 className="flex items-center gap-3 px-4 pt-2.5 pb-1 font-medium">
        Sent
        <span className="text-small font-normal text-subtle">
          {sent.length === 1 ? '1 notification' : `${sent.length} notifications`} in{' '}
          {result.environment}
        </span>
      </h2>
      <ul>
        {sent.map((notification) => {
          const last = notification.attempts.at(-1)
          return (
            <li
              key={notification.id}
              className="flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line/50 px-4 py-0.5"
            >
              <span className="w-28 shrink-0">
                <NotificationState notification={notification} />
              </span>
              <span
                className="data min-w-0 flex-1 basis-28 truncate"
                title={visibleText(notification.url)}
              >
                {visibleText(notification.event)}
              </span>
              <span className="data shrink-0 text-muted">
                {last === undefined ? '' : lookOfAttempt(last).word}
              </span>
              <span className="w-40 shrink-0 @max-[560px]:w-auto">
                {last !== undefined && <DeliveryLink attempt={last} />}
              </span>
              <Button
                kind="quiet"
                className="h-6 px-1.5 text-small"
                aria-label={`Show ${notification.event} in the log`}
                onClick={() => {
                  selectNotification(notification.id)
                  showSandbox('log')
                }}
              >
                Log
              </Button>
            </li>
          )
        })}
      </ul>
      {about.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-1 px-3 py-1.5 text-small">
          <span className="px-1 text-subtle">Objects</span>
          {about.map((object) => (
            <button
              key={object.id}
              type="button"
              onClick={() => showObject(object)}
              className="inline-flex h-6 max-w-60 items-center gap-1.5 rounded-small px-1.5 text-muted hover:bg-control hover:text-text"
            >
              {kindNames[object.kind].one}
              <span className="data">{visibleText(shortIdOf(object.id))}</span>
            </button>
          ))}
        </p>
      )}
    </section>
  )
}
