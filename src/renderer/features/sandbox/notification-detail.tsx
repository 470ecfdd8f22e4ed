/** Details of a notification of the log: its attempts and the next one. */
import { FastForward, Send } from 'lucide-react'
import { faultMeanings } from '../../../shared/model/fault-meanings.ts'
import type { Notification, SendAttempt } from '../../../shared/model/notification.ts'
import { outcomeOfAttempt } from '../../../shared/model/service-outcomes.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, UrlText } from '../../ui/exact-text.tsx'
import { clockTime, exactTime, milliseconds, ordinal, useNow } from '../../ui/moment.ts'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { toneText } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { sandboxNow, untilWords } from './clock-time.ts'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { DeliveryLink, HandlerStatus, SentState, useSentRow, useSentWords } from './sent-parts.tsx'
import { useClockReading } from './use-sandbox.ts'

export function NotificationDetail({ notification }: { readonly notification: Notification }) {
  const { event, url, fault, attempts, id } = notification
  const { hook, go } = useAppParts((state) => ({
    hook: state.core.hooks.find(({ remoteId }) => remoteId === notification.hookId) ?? null,
    go: state.navigation.go,
  }))
  const sent = { notification, row: useSentRow(notification) }
  const handler = sent.row?.handler ?? null
  const words = useSentWords(sent)
  return (
    <DetailPane label="Notification" pane="notification">
      <header className="flex h-9 shrink-0 items-center gap-3 border-b border-line pr-3 pl-5">
        <h2 className="flex min-w-0 flex-1 items-center gap-3">
          <span className="flex max-w-full shrink-0">
            <SentState {...sent} large />
          </span>
          <TintedEvent event={event} />
        </h2>
      </header>
      <DetailScroll key={id} label="Notification details">
        <Facts>
          <Fact name="URL">
            <span className="data">
              <UrlText url={url} />
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
          {handler !== null && (
            <Fact name="Handler">
              <span className="flex flex-wrap items-center gap-x-3">
                {handler.outcome === 'failing' && fault === null
                  ? words
                  : handler.name === null
                    ? visibleText(handler.target)
                    : `@${handler.name}`}
                <HandlerStatus {...sent} />
              </span>
            </Fact>
          )}
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
  const judged = outcomeOfAttempt(attempt)
  // This receiver's own response proves nothing.
  const isOwn = attempt.acknowledged && attempt.deliveryId !== null
  const tone = isOwn ? 'neutral' : judged.tone
  return (
    <li className="border-t border-line/50 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
        <span className="w-8 shrink-0 font-medium">{ordinal(attempt.attempt)}</span>
        <span className={`data min-w-20 shrink-0 @max-[420px]:min-w-0 ${toneText[tone]}`}>
          {judged.word}
        </span>
        <span className="min-w-0 flex-1 basis-20 [&>button]:-ml-1.5">
          <DeliveryLink deliveryId={attempt.deliveryId} />
        </span>
        <span className="data shrink-0 whitespace-nowrap text-muted">{milliseconds(ms)} ms</span>
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
