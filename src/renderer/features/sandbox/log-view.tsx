/** The sandbox's delivery log, newest first, with details of the selected notification. */
import { lookOfAttempt } from '../../../shared/model/outcomes.ts'
import type { Notification } from '../../../shared/model/sandbox.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ago, exactTime } from '../../ui/moment.ts'
import { toneText } from '../../ui/outcome-mark.tsx'
import { RowGrid, type RowColumn } from '../../ui/row-grid.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { faultMeanings } from './event-catalogue.ts'
import { NotificationDetail } from './notification-detail.tsx'
import { NotificationState } from './notification-state.tsx'

export function LogView({ notifications }: { readonly notifications: readonly Notification[] }) {
  const {
    notificationId: chosen,
    environment,
    selectNotification,
  } = useParts('sandbox', 'notificationId', 'environment', 'selectNotification')
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  const now = useNow(5_000)
  const shown = notifications.find(({ id }) => id === chosen) ?? notifications[0]
  if (shown === undefined) return <NothingSent environment={environment} />
  const list = (
    <section
      aria-label="Delivery log"
      data-pane="log"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <RowGrid
        label="Notifications, newest first"
        rows={notifications}
        idOf={({ id }) => id}
        columns={columnsAt(now)}
        selectedId={shown.id}
        singleKeys={singleKeys}
        onSelect={({ id }) => selectNotification(id)}
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
        defaultSize: '50%',
        content: <NotificationDetail notification={shown} />,
      }}
      resize="Resize notification details"
    />
  )
}

function columnsAt(now: number): readonly RowColumn<Notification>[] {
  return [
    {
      name: 'Status',
      className: 'w-[118px] shrink-0 @max-[480px]:w-[34px]',
      cell: (notification) => <NotificationState notification={notification} inList />,
    },
    {
      name: 'Event',
      className: 'min-w-0 flex-1',
      cell: ({ event, fault }) => (
        <span className="flex min-w-0 items-baseline gap-2" title={visibleText(event)}>
          <span className="data truncate">{visibleText(event)}</span>
          {fault !== null && (
            <span className="shrink-0 text-tiny text-warn">
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
      cell: ({ attempts }) => <span className="data text-muted">{attempts.length} of 3</span>,
    },
    {
      name: 'Response',
      className: 'w-[66px] shrink-0',
      right: true,
      cell: ({ attempts }) => {
        const last = attempts.at(-1)
        if (last === undefined) return ''
        const { tone, word } = lookOfAttempt(last)
        return (
          <span className={`data ${tone === 'good' ? 'text-muted' : toneText[tone]}`}>{word}</span>
        )
      },
    },
    {
      name: 'Sent',
      className: 'w-[84px] shrink-0 @max-[480px]:hidden',
      right: true,
      cell: ({ attempts: [first] }) =>
        first === undefined ? (
          ''
        ) : (
          <span className="text-muted" title={exactTime(first.at)}>
            {ago(first.at, now)}
          </span>
        ),
    },
  ]
}

function NothingSent({ environment }: { readonly environment: string }) {
  const showSandbox = useApp((state) => state.sandbox.show)
  return (
    <section
      aria-label="Delivery log"
      data-pane="log"
      className="min-h-0 flex-1 bg-ground px-8 pt-12"
    >
      <h2 className="text-title font-medium">No deliveries sent in {environment} yet</h2>
      <p className="mt-1 max-w-[520px] text-muted">
        Every notification the sandbox sends is listed here with its attempts, responses and
        retries.
      </p>
      <Button kind="primary" className="mt-3" onClick={() => showSandbox('trigger')}>
        Trigger event
      </Button>
    </section>
  )
}
