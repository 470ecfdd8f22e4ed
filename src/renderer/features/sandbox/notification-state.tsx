/** The status of a notification and its attempts, with a link to the received delivery. */
import { ExternalLink } from 'lucide-react'
import { labelOf, lookOfNotification } from '../../../shared/model/outcomes.ts'
import type { Notification, SendAttempt } from '../../../shared/model/sandbox.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { VerdictBadge } from '../../ui/verdict.tsx'

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
  const look = lookOfNotification(notification)
  const word = labelOf(look)
  return (
    <span
      title={inList ? word : undefined}
      className={`inline-flex min-w-0 items-center gap-1.5 ${toneText[look.tone]} ${large ? 'text-title font-medium' : ''}`}
    >
      <OutcomeIcon outcome={look} size={large ? 18 : 14} />
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
      <ExternalLink size={12} aria-hidden className="shrink-0 text-subtle" />
      <span className="sr-only">Open delivery</span>
    </button>
  )
}
