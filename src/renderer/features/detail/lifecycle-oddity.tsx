/** One thing that is odd about a purchase or a location: what, what to do about it, and the deliveries that it is about. */
import { GitCompareArrows, Info, TriangleAlert } from 'lucide-react'
import type { Oddity } from '../../../shared/model/lifecycle.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'

export function OddityView({
  oddity: { level, message, fix, deliveryIds },
  presentId,
  listed,
}: {
  readonly oddity: Oddity
  readonly presentId: string
  /** Ids of the deliveries that stand among the events anyhow. */
  readonly listed: ReadonlySet<string>
}) {
  const goToDelivery = useApp((state) => state.detail.goTo)
  const compare = useApp((state) => state.compare.start)
  const [first, second] = deliveryIds
  const others = deliveryIds.filter((id) => id !== presentId)
  const isPair = first !== undefined && second !== undefined
  const openable = isPair ? others.find((id) => !listed.has(id)) : others[0]
  const Icon = level === 'warn' ? TriangleAlert : Info
  return (
    <li className="flex gap-3 px-5 py-2 not-last:border-b not-last:border-line/60">
      <Icon size={15} aria-hidden className={`mt-[3px] shrink-0 ${level === 'warn' ? 'text-warn' : 'text-subtle'}`} />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <span className="sr-only">{level === 'warn' ? 'Odd: ' : 'Note: '}</span>
          <ExactText text={message} />
        </p>
        <p className="text-muted wrap-anywhere">
          <ExactText text={fix} />
        </p>
      </div>
      <span className="flex shrink-0 flex-col items-end gap-1">
        {isPair && (
          <Button
            kind="quiet"
            icon={<GitCompareArrows size={14} aria-hidden />}
            onClick={() => void compare({ kind: 'delivery', id: first }, { kind: 'delivery', id: second })}
          >
            Compare
          </Button>
        )}
        {openable !== undefined && (
          <Button kind="quiet" onClick={() => void goToDelivery(openable)}>
            Open
          </Button>
        )}
      </span>
    </li>
  )
}
