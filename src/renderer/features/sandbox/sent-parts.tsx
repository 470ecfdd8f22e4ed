/** The outcome of a notification, in the list beside the payload and in the log. */
import { ExternalLink } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Notification } from '../../../shared/model/notification.ts'
import {
  outcomeOfAttempt,
  outcomeOfNotification,
  rejectReason,
} from '../../../shared/model/service-outcomes.ts'
import { responseMessage } from '../../../shared/service/response-message.ts'
import { fromBase64 } from '../../core-data/bytes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { OutcomeIcon, OutcomeMark, toneText } from '../../ui/outcome-mark.tsx'
import { signatureStatus, VerdictBadge, VerdictGlyph } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { sentWords } from './sent-outcome.ts'

/** Reads the delivery of the last attempt; null until loaded, or if it was sent elsewhere. */
export function useSentRow({ attempts }: Pick<Notification, 'attempts'>): DeliveryRow | null {
  const id = attempts.at(-1)?.deliveryId ?? null
  return useRead('deliveries.get', id === null ? null : { id }).output ?? null
}

interface SentProps {
  readonly notification: Notification
  readonly row: DeliveryRow | null
}

/** Shows the verdict of a delivery received here, otherwise the state of the notification. */
export function SentState({
  notification,
  row,
  large = false,
}: SentProps & { readonly large?: boolean }) {
  const { state, attempts, fault } = notification
  const isPlain = state === 'acknowledged' && rejectReason(fault) === null
  if (isPlain && row !== null) return <VerdictBadge of={row} large={large} />
  const outcome = outcomeOfNotification(notification, row?.handler)
  const isOwn = isPlain && attempts.at(-1)?.deliveryId !== null
  const isRequested = row !== null && state === 'acknowledged' && !isPlain && outcome.tone !== 'bad'
  return (
    <OutcomeMark
      outcome={isOwn ? { ...outcome, tone: 'neutral' } : outcome}
      large={large}
      icon={isRequested && <VerdictGlyph drawing={signatureStatus(row).drawing} large={large} />}
    />
  )
}

/** Shows the response of the handler or the hook's URL, never green, as the state is beside it. */
export function HandlerStatus({ notification, row }: SentProps) {
  const handler = row?.handler ?? null
  const last = notification.attempts.at(-1)
  if (last === undefined) return <span />
  const isRejectable = rejectReason(notification.fault) !== null && handler?.signed !== true
  const isBad = isRejectable
    ? outcomeOfNotification(notification, handler).tone === 'bad'
    : handler === null
      ? !last.acknowledged
      : handler.outcome === 'failing'
  const judged = outcomeOfAttempt({ status: (handler ?? last).status, acknowledged: !isBad })
  const outcome = isBad ? judged : ({ ...judged, tone: 'neutral' } as const)
  const isOwn = handler === null && last.deliveryId !== null
  return (
    <span className={`data flex items-center justify-end gap-1 ${toneText[outcome.tone]}`}>
      {/* Without a response, nothing was rejected as expected. */}
      {(isBad || (!isOwn && (handler ?? last).status !== null)) && (
        <OutcomeIcon outcome={outcome} />
      )}
      {outcome.word}
    </span>
  )
}

/** Returns the sentence about a notification, with what a failing handler said. */
export function useSentWords(sent: SentProps): string {
  const handler = sent.row?.handler
  const { output: response } = useRead(
    'replay.send',
    handler?.outcome === 'failing' ? { id: handler.sendId } : null,
  )
  const message = response === undefined ? '' : responseMessage(fromBase64(response.base64))
  return visibleText(sentWords(sent, message))
}

/** Links to the received delivery, or says that nothing was received. */
export function DeliveryLink({ deliveryId }: { readonly deliveryId: string | null }) {
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
