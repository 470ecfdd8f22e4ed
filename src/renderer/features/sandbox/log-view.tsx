/** The sandbox's delivery log, newest first, with details of the selected notification. */
import { faultMeanings } from '../../../shared/model/fault-meanings.ts'
import type { Notification } from '../../../shared/model/notification.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { List, type ListColumn } from '../../ui/list.tsx'
import { Message } from '../../ui/message.tsx'
import { clockTime, dayUnlessToday, exactTime } from '../../ui/moment.ts'
import { toneText } from '../../ui/outcome-mark.tsx'
import { NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { NotificationDetail } from './notification-detail.tsx'
import { HandlerStatus, SentState, useSentRow } from './sent-parts.tsx'
import { useSandboxPlace } from './use-sandbox.ts'

export function LogView({ notifications }: { readonly notifications: readonly Notification[] }) {
  const { id: chosen, environment } = useSandboxPlace()
  const { show, singleKeys } = useAppParts((state) => ({
    show: state.sandbox.show,
    singleKeys: state.preferences.singleKeys,
  }))
  const shown = chosen === null ? notifications[0] : notifications.find(({ id }) => id === chosen)
  if (notifications.length === 0)
    return (
      <section
        aria-label="Delivery log"
        data-pane="log"
        className="min-h-0 flex-1 bg-ground px-8 pt-12"
      >
        <Message
          title={`No deliveries sent in ${environment} yet`}
          action={
            <Button kind="primary" onClick={() => show({ view: 'trigger' })}>
              Trigger event
            </Button>
          }
        >
          Every notification the sandbox sends is listed here with its attempts, responses and
          retries.
        </Message>
      </section>
    )
  const list = (
    <section
      aria-label="Delivery log"
      data-pane="log"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <List
        label="Notifications, newest first"
        className="min-h-0 flex-1 [&>[role=row]]:h-9"
        rows={notifications}
        idOf={({ id }) => id}
        columns={columns}
        selectedId={shown?.id ?? null}
        singleKeys={singleKeys}
        onSelect={({ id }) => show({ id })}
      />
    </section>
  )
  return (
    <SplitPanes
      name="sandbox-log"
      className="min-h-0 flex-1"
      first={{ id: 'log', content: list }}
      second={{
        id: 'notification',
        defaultSize: '44%',
        content:
          shown === undefined ? (
            <NotFoundPane what="Notification" name={chosen ?? ''} />
          ) : (
            <NotificationDetail notification={shown} />
          ),
      }}
      resize="Resize notification details"
    />
  )
}

const columns: readonly ListColumn<Notification>[] = [
  {
    name: 'Status',
    className: 'w-[172px] shrink-0 @max-[480px]:w-9',
    cell: (notification) => <Logged notification={notification} part="state" />,
  },
  {
    name: 'Event',
    className: 'min-w-0 flex-1',
    cell: ({ event, fault, state }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <TintedEvent event={event} />
        {fault !== null && (
          <span
            className={`ml-auto shrink-0 text-tiny text-warn @max-[420px]:sr-only ${fault === 'stale' && state === 'acknowledged' ? '@min-[480px]:sr-only' : ''}`}
          >
            {faultMeanings[fault].name.toLowerCase()}
          </span>
        )}
      </span>
    ),
  },
  {
    name: 'Attempts',
    className: 'w-[60px] shrink-0 @max-[480px]:hidden',
    right: true,
    cell: ({ attempts, state }) => (
      <span className={`data ${state === 'failed' ? toneText.bad : 'text-muted'}`}>
        {attempts.length} of {MAX_ATTEMPTS}
      </span>
    ),
  },
  {
    name: 'Response',
    className: 'w-[104px] shrink-0 @max-[480px]:w-16 @max-[480px]:[&_svg]:hidden',
    right: true,
    cell: (notification) => <Logged notification={notification} part="response" />,
  },
  {
    name: 'Sent',
    className: 'w-[110px] shrink-0 @max-[800px]:w-[60px]',
    right: true,
    cell: ({ attempts: [first] }) => {
      if (first === undefined) return ''
      const day = dayUnlessToday(first.at)
      return (
        <span className="data text-muted" title={exactTime(first.at)}>
          {day}{' '}
          <span className={day === null ? '' : '@max-[800px]:hidden'}>
            {clockTime(first.at).slice(0, 8)}
          </span>
        </span>
      )
    },
  },
]

/** Shows the state or the response of a notification in its row. */
function Logged({
  notification,
  part,
}: {
  readonly notification: Notification
  readonly part: 'state' | 'response'
}) {
  const sent = { notification, row: useSentRow(notification) }
  return part === 'response' ? (
    <HandlerStatus {...sent} />
  ) : (
    <span className="flex min-w-0 @max-[480px]:[&_.truncate]:sr-only">
      <SentState {...sent} />
    </span>
  )
}
