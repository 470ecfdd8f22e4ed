/** How a notification and its attempts stand: glyph, word, colour; and the delivery that an attempt became. */
import { CircleCheck, CircleX, ExternalLink, LoaderCircle, RotateCw, type LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import type { Notification, SendAttempt } from '../../../shared/model/sending.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Verdict } from '../deliveries/index.ts'

interface Look {
  readonly word: string
  readonly className: string
  readonly Icon: LucideIcon
}

function lookOf({ state, attempts }: Notification): Look {
  if (state === 'acknowledged') return { word: 'Acknowledged', className: 'text-ok', Icon: CircleCheck }
  if (state === 'failed') return { word: 'Failed', className: 'text-bad font-medium', Icon: CircleX }
  if (attempts.length === 0) return { word: 'Sending', className: 'text-muted', Icon: LoaderCircle }
  return { word: 'Retrying', className: 'text-warn', Icon: RotateCw }
}

export function NotificationState({
  notification,
  large = false,
  inList = false,
}: {
  readonly notification: Notification
  readonly large?: boolean
  /** The word gives way to the event where the list is narrow: the glyph and its colour stay. */
  readonly inList?: boolean
}) {
  const { word, className, Icon } = lookOf(notification)
  return (
    <span
      title={inList ? word : undefined}
      className={`inline-flex min-w-0 items-center gap-1.5 ${className} ${large ? 'text-title font-medium' : ''}`}
    >
      <Icon size={large ? 18 : 14} aria-hidden className="shrink-0" />
      <span className={`truncate ${inList ? '@max-[480px]:sr-only' : ''}`}>{word}</span>
    </span>
  )
}

/** `200`, or why there is none, in a word. */
export function answerWord({ status }: SendAttempt): string {
  return status === null ? 'no answer' : String(status)
}

/** Opens the delivery that an attempt became; where there is none, says so. */
export function DeliveryLink({ attempt: { deliveryId } }: { readonly attempt: SendAttempt }) {
  const { row, readAttemptRow, go, goToDelivery } = useAppParts((state) => ({
    row: deliveryId === null ? null : state.attemptRows[deliveryId],
    readAttemptRow: state.readAttemptRow,
    go: state.go,
    goToDelivery: state.goToDelivery,
  }))
  const unread = row === undefined ? deliveryId : null
  useEffect(() => {
    if (unread !== null) void readAttemptRow(unread)
  }, [unread, readAttemptRow])
  if (deliveryId === null)
    return (
      <span className="text-small text-subtle" title="The receiver of this instance took in nothing of this attempt">
        not received here
      </span>
    )
  if (row === undefined) return null
  if (row === null) return <span className="text-small text-subtle">deleted since</span>
  return (
    <button
      type="button"
      title="Open the delivery"
      onClick={() => {
        go('deliveries')
        void goToDelivery(row.id)
      }}
      className="inline-flex h-6 max-w-full items-center gap-1.5 rounded-small px-1.5 hover:bg-control"
    >
      <Verdict of={row} />
      <ExternalLink size={12} aria-hidden className="shrink-0 text-subtle" />
      <span className="sr-only">Open the delivery</span>
    </button>
  )
}
