/** A hook's recent deliveries, their failures, and a button that sends a test event. */
import { Send } from 'lucide-react'
import type { Hook } from '../../../shared/model/hook.ts'
import { acknowledgementRule, isAcknowledged } from '../../state/acknowledgement.ts'
import { isOfSandbox } from '../../state/environments.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { ago, exactTime } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import { answerWord, VerdictBadge } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { failureWords, queryOfEvent, useHookActivity } from './hook-activity.ts'
import { useSelectedHook } from './use-selected-hook.ts'

/** Makes the sandbox send an event for its hook. Live hooks need confirmation. */
function SendEventButton({
  hook,
  kind,
}: {
  readonly hook: Hook
  readonly kind: 'primary' | 'plain'
}) {
  const { sending, sendEventOf, openOverlay, listening } = useAppParts((state) => ({
    sending: state.hooks.sendingEvent,
    sendEventOf: state.hooks.sendEventOf,
    openOverlay: state.navigation.openOverlay,
    listening: state.core.status?.sandbox !== null && state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={kind}
      icon={<Send size={13} aria-hidden />}
      disabled={sending || !listening}
      onClick={() => {
        if (hook.mode === 'live') openOverlay('send-live')
        else void sendEventOf(hook, false)
      }}
    >
      {sending ? 'Sending…' : `Send ${visibleText(hook.event)}`}
    </Button>
  )
}

export function SendLiveDialog() {
  const hook = useSelectedHook()
  const sendEventOf = useApp((state) => state.hooks.sendEventOf)
  return (
    <OverlayDialog overlay="send-live" ready={hook !== null} title="Send event">
      {(close) =>
        hook !== null && (
          <LiveConfirmation
            environment={hook.environment}
            action={`Send ${hook.event} in ${hook.environment} (live)`}
            busy={false}
            onConfirm={() => {
              close()
              void sendEventOf(hook, true)
            }}
            onBack={close}
          >
            The sandbox sends {hook.event} to every live hook for this event.
          </LiveConfirmation>
        )
      }
    </OverlayDialog>
  )
}

const SHOWN = 5

export function HookDeliveries({ hook }: { readonly hook: Hook }) {
  const { environments, go, setDraft } = useAppParts((state) => ({
    environments: state.core.environments,
    go: state.navigation.go,
    setDraft: state.filter.setDraft,
  }))
  const { activity, problem } = useHookActivity(hook)
  const now = useNow(5_000)
  if (activity === null)
    return problem === null ? (
      <p className="late skeleton h-3 w-40" />
    ) : (
      <p className="text-bad">{problem}</p>
    )
  const failed = failureWords(activity)
  if (activity.deliveries.length === 0) return <NoDelivery hook={hook} />
  const ack = acknowledgementRule(environments, hook.environment)
  return (
    <div className="flex flex-col gap-2">
      <ul>
        {activity.deliveries.slice(0, SHOWN).map((row) => (
          <li key={row.id}>
            <button
              type="button"
              onClick={() => go('deliveries', { id: row.id })}
              className="flex h-7 w-full items-center gap-3 rounded-small border-b border-line/50 text-left hover:bg-raised"
            >
              <span className="w-28 shrink-0">
                <VerdictBadge of={row} />
              </span>
              <span
                className="min-w-0 flex-1 truncate text-muted"
                title={exactTime(row.receivedAt)}
              >
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
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        {failed !== null && (
          <p className="min-w-0 flex-1 basis-56 text-muted">
            <span className={activity.failed > 0 ? 'text-bad' : 'text-text'}>{failed}</span> recent
            deliveries not acknowledged
          </p>
        )}
        <Button
          kind="quiet"
          onClick={() => {
            go('deliveries')
            setDraft(queryOfEvent(hook.event))
          }}
        >
          View all for this event
        </Button>
        {hook.status === 'active' && isOfSandbox(hook.environment) && (
          <SendEventButton hook={hook} kind="plain" />
        )}
      </div>
    </div>
  )
}

function NoDelivery({ hook }: { readonly hook: Hook }) {
  if (hook.status !== 'active' && hook.status !== 'unconfirmed')
    return <p className="text-muted">No deliveries</p>
  if (!isOfSandbox(hook.environment))
    return <p className="text-muted">No deliveries yet. New ones appear here.</p>
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="min-w-0 flex-1 basis-56 text-muted">
        No deliveries yet. The sandbox can send a correctly signed one.
      </p>
      <SendEventButton hook={hook} kind="primary" />
    </div>
  )
}
