/** The sandbox's delivery log, newest first, with details of the selected notification. */
import { ExternalLink, FastForward, Send } from 'lucide-react'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { outcomeOfAttempt, outcomeOfNotification } from '../../../shared/model/service-outcomes.ts'
import type { Notification, SendAttempt } from '../../../shared/model/notification.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { List, type ListColumn } from '../../ui/list.tsx'
import { Message } from '../../ui/message.tsx'
import { ago, exactTime, clockTime, milliseconds, ordinal, useNow } from '../../ui/moment.ts'
import { EnvironmentName, OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll, NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { VerdictBadge } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { sandboxNow, untilWords } from './clock-time.ts'
import { faultMeanings } from './catalogue.ts'
import { useClockReading, useSandboxPlace } from './use-sandbox.ts'

export function LogView({ notifications }: { readonly notifications: readonly Notification[] }) {
  const { id: chosen, environment } = useSandboxPlace()
  const { show, singleKeys } = useAppParts((state) => ({
    show: state.sandbox.show,
    singleKeys: state.preferences.singleKeys,
  }))
  const now = useNow(5_000)
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
        rows={notifications}
        idOf={({ id }) => id}
        columns={columnsAt(now)}
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
        defaultSize: '50%',
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

function columnsAt(now: number): readonly ListColumn<Notification>[] {
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
      cell: ({ attempts, state }) => (
        <span className={`data ${state === 'failed' ? toneText.bad : 'text-muted'}`}>
          {attempts.length} of {MAX_ATTEMPTS}
        </span>
      ),
    },
    {
      name: 'Response',
      className: 'w-[66px] shrink-0',
      right: true,
      cell: ({ attempts }) => {
        const last = attempts.at(-1)
        if (last === undefined) return ''
        const { tone, word } = outcomeOfAttempt(last)
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

export function NotificationDetail({ notification }: { readonly notification: Notification }) {
  const { event, mode, url, fault, attempts, id } = notification
  const { hook, go } = useAppParts((state) => ({
    hook: state.core.hooks.find(({ remoteId }) => remoteId === notification.hookId) ?? null,
    go: state.navigation.go,
  }))
  return (
    <DetailPane label="Notification" pane="notification">
      <header className="flex shrink-0 items-center gap-3 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-1 items-center gap-3">
          <NotificationState notification={notification} large />
          <span className="min-w-0 truncate font-mono text-base">
            <ExactText text={event} />
          </span>
        </h2>
      </header>
      <DetailScroll key={id} label="Notification details">
        <Facts>
          <Fact name="URL">
            <span className="data">
              <ExactText text={url} />
            </span>{' '}
            {hook !== null && (
              <Button
                kind="quiet"
                className="-my-1 h-6 px-1.5 text-small"
                onClick={() => go('hooks', { id: hook.id })}
              >
                Show hook
              </Button>
            )}
          </Fact>
          <Fact name="Environment">
            <EnvironmentName name={mode === 'live' ? 'sandbox-live' : 'sandbox-test'} mode={mode} />
          </Fact>
          {fault !== null && (
            <Fact name="Fault">{`${faultMeanings[fault].name}: ${faultMeanings[fault].meaning}`}</Fact>
          )}
          <Fact name="ID">
            <span className="data">
              {id} <CopyButton text={id} label="Copy ID" className="-my-1" />
            </span>
          </Fact>
        </Facts>
        <h3 className="mt-6 mb-1.5 font-medium">Attempts</h3>
        <ol aria-label="Attempts">
          {attempts.map((attempt) => (
            <Attempt key={attempt.attempt} attempt={attempt} />
          ))}
        </ol>
        <NextAttempt notification={notification} />
      </DetailScroll>
    </DetailPane>
  )
}

function Attempt({ attempt }: { readonly attempt: SendAttempt }) {
  const { at, sandboxAt, error, ms } = attempt
  const shown = outcomeOfAttempt(attempt)
  return (
    <li className="border-t border-line/50 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
        <span className="w-8 shrink-0 font-medium">{ordinal(attempt.attempt)}</span>
        <span className={`data w-20 shrink-0 ${toneText[shown.tone]}`}>{shown.word}</span>
        <span className="data w-20 shrink-0 text-right whitespace-nowrap text-muted">
          {milliseconds(ms)} ms
        </span>
        <span className="min-w-0 flex-1 basis-32">
          <DeliveryLink attempt={attempt} />
        </span>
      </div>
      <dl className="data mt-1 ml-12 grid grid-cols-[96px_minmax(0,1fr)] leading-5 text-muted">
        <dt className="font-sans text-small leading-5 text-subtle">Real time</dt>
        <dd title={exactTime(at)}>{exactTime(at)}</dd>
        {sandboxAt !== null && (
          <>
            <dt className="font-sans text-small leading-5 text-subtle">Sandbox time</dt>
            <dd title={clockTime(sandboxAt)}>{exactTime(sandboxAt)}</dd>
          </>
        )}
      </dl>
      {error !== null && (
        <p className="mt-1 ml-12 wrap-anywhere text-muted">
          <ExactText text={error} />
        </p>
      )}
    </li>
  )
}

/**
 * Shows the next attempt, with a button that makes it by advancing the clock or with consent to its
 * host.
 */
function NextAttempt({ notification }: { readonly notification: Notification }) {
  const { state, reason, nextAt, attempts } = notification
  const { moveClock, sendAgain } = useParts('sandbox', 'moveClock', 'sendAgain')
  const reading = useClockReading()
  const now = useNow(1_000)
  if (nextAt === null && reason === null)
    return (
      <p className="border-t border-line/50 py-2 text-muted">
        {state === 'acknowledged'
          ? 'Acknowledged. No retry expected.'
          : state === 'pending'
            ? 'First attempt in progress.'
            : attempts.length < MAX_ATTEMPTS
              ? 'Stopped: the hook was removed.'
              : 'Three failures: delivery abandoned (spec 6.4).'}
      </p>
    )
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line/50 py-2">
      <p className="min-w-0 flex-1 basis-56 wrap-anywhere">
        <span className="font-medium">{ordinal(attempts.length + 1)} attempt</span>{' '}
        <span className="text-muted">
          {nextAt === null ? (
            `not sent: ${visibleText(reason?.split('. ')[0] ?? '')}`
          ) : (
            <>
              at <span className="data">{exactTime(nextAt)}</span> sandbox time
              {reading !== null && `, ${untilWords(Date.parse(nextAt) - sandboxNow(reading, now))}`}
            </>
          )}
        </span>
      </p>
      {nextAt === null ? (
        <Button icon={Send} onClick={() => void sendAgain(notification)}>
          Send…
        </Button>
      ) : (
        <Button icon={FastForward} onClick={() => void moveClock({ action: 'set', time: nextAt })}>
          Advance
        </Button>
      )}
    </div>
  )
}

export function NotificationState({
  notification,
  large = false,
  inList = false,
}: {
  readonly notification: Notification
  readonly large?: boolean
  /** Narrow lists hide the word and keep the icon. */
  readonly inList?: boolean
}) {
  const shown = outcomeOfNotification(notification)
  const word = labelOf(shown)
  return (
    <span
      title={inList ? word : undefined}
      className={`inline-flex min-w-0 items-center gap-1.5 ${toneText[shown.tone]} ${large ? 'text-title font-medium' : ''}`}
    >
      <OutcomeIcon outcome={shown} size={large ? 18 : 14} />
      <span className={`truncate ${inList ? '@max-[480px]:sr-only' : ''}`}>{word}</span>
    </span>
  )
}

/** Links to the received delivery, or says that nothing was received. */
export function DeliveryLink({ attempt: { deliveryId } }: { readonly attempt: SendAttempt }) {
  const go = useApp((state) => state.navigation.go)
  const { output: row, isGone } = useRead(
    'deliveries.get',
    deliveryId === null ? null : { id: deliveryId },
  )
  if (deliveryId === null)
    return (
      <span className="text-small text-subtle" title="This receiver didn't receive this attempt">
        not received here
      </span>
    )
  if (isGone) return <span className="text-small text-subtle">deleted</span>
  if (row === undefined) return null
  return (
    <button
      type="button"
      title="Open delivery"
      onClick={() => go('deliveries', { id: row.id })}
      className="inline-flex h-6 max-w-full items-center gap-1.5 rounded-small px-1.5 hover:bg-control"
    >
      <VerdictBadge of={row} />
      <ExternalLink size={12} className="shrink-0 text-subtle" />
      <span className="sr-only">Open delivery</span>
    </button>
  )
}
