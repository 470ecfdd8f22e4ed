/** The latest deliveries of a hook. */
import { Send } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { isOfSandbox, acknowledgementRule, isAcknowledged } from '../../core-data/environments.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ago, exactTime, useNow } from '../../ui/moment.ts'
import { answerWord, VerdictBadge } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { failureCount, queryOfEvent, useHookActivity } from './hook-facts.tsx'

const SHOWN = 5

/** Whether the sandbox can send an event to the hook. */
function canSendEvent({ status, environment }: Hook): boolean {
  return status === 'active' && isOfSandbox(environment)
}

export function HookDeliveries({ hook }: { readonly hook: Hook }) {
  const { go, setQuery } = useAppParts((state) => ({
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
  }))
  const { activity, problem } = useHookActivity(hook)
  const now = useNow(5_000)
  if (activity === null)
    return problem === null ? (
      <p className="late skeleton h-3 w-40" />
    ) : (
      <p className="text-bad">{problem}</p>
    )
  if (activity.deliveries.length === 0) return <NoDeliveries hook={hook} />
  const failed = failureCount(activity)
  return (
    <div className="flex flex-col gap-2">
      {failed !== null && (
        <p className={activity.failed > 0 ? 'text-bad' : 'text-muted'}>
          {activity.failed > 0 ? `${failed} recent deliveries not` : 'All recent deliveries'}{' '}
          acknowledged
        </p>
      )}
      <ul className="border-t border-line/50">
        {activity.deliveries.slice(0, SHOWN).map((row) => (
          <HookDelivery key={row.id} row={row} environment={hook.environment} now={now} />
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          onClick={() => {
            go('deliveries')
            setQuery(queryOfEvent(hook.event))
          }}
        >
          View all for this event
        </Button>
        {canSendEvent(hook) && <SendEventButton hook={hook} kind="plain" />}
      </div>
    </div>
  )
}

function NoDeliveries({ hook }: { readonly hook: Hook }) {
  const canSend = canSendEvent(hook)
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="min-w-0 flex-1 basis-56 text-muted">
        {canSend
          ? 'No deliveries yet. The sandbox can send a correctly signed one.'
          : hook.status === 'active' || hook.status === 'unconfirmed'
            ? 'No deliveries yet. New ones appear here.'
            : 'No deliveries'}
      </p>
      {canSend && <SendEventButton hook={hook} kind="primary" />}
    </div>
  )
}

function HookDelivery({
  row,
  environment,
  now,
}: {
  readonly row: DeliveryRow
  readonly environment: string
  readonly now: number
}) {
  const go = useApp((state) => state.navigation.go)
  const environments = useApp((state) => state.core.environments)
  const ack = acknowledgementRule(environments, environment)
  return (
    <li>
      <button
        type="button"
        onClick={() => go('deliveries', { id: row.id })}
        className="flex h-7 w-full items-center gap-3 rounded-small border-b border-line/50 text-left hover:bg-raised"
      >
        <span className="w-28 shrink-0">
          <VerdictBadge of={row} />
        </span>
        <span className="min-w-0 flex-1 truncate text-muted" title={exactTime(row.receivedAt)}>
          {ago(row.receivedAt, now)}
          {row.attempt > 1 && ` · attempt ${row.attempt}`}
        </span>
        <span
          className={`data pr-1 ${isAcknowledged(row.answer, ack) === false ? 'text-bad' : 'text-muted'}`}
        >
          {answerWord(row)}
        </span>
      </button>
    </li>
  )
}

/** Makes the sandbox send an event for its hook. */
function SendEventButton({
  hook,
  kind,
}: {
  readonly hook: Hook
  readonly kind: 'primary' | 'plain'
}) {
  const { sending, sendEventOf, listening } = useAppParts((state) => ({
    sending: state.hooks.sendingEvent,
    sendEventOf: state.hooks.sendEventOf,
    listening: state.core.status?.sandbox !== null && state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={kind}
      icon={Send}
      disabled={sending || !listening}
      onClick={() => void sendEventOf(hook)}
    >
      {sending ? 'Sending…' : `Send ${visibleText(hook.event)}`}
    </Button>
  )
}
