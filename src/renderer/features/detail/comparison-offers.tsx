/** Deliveries to compare the open one with. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { duration } from '../../ui/moment.ts'
import { LinkButton } from './link-button.tsx'
import { FactItem } from './fact-item.tsx'

/** Offers deliveries to compare with, most likely first. */
export function ComparisonItems({
  delivery: { id: deliveryId, seq, receivedAt },
}: {
  readonly delivery: Delivery
}) {
  const { compare, go } = useAppParts((state) => ({
    compare: state.compare.start,
    go: state.navigation.go,
  }))
  const { output, problem, readAgain } = useRead('compare.offers', { deliveryId })
  if (problem !== null)
    return (
      <FactItem name="Compare with">
        {problem} <LinkButton onClick={readAgain}>Try again</LinkButton>
      </FactItem>
    )
  if (output === undefined)
    return (
      <FactItem name="Compare with">
        <span className="late text-subtle">Loading…</span>
      </FactItem>
    )
  if (output.offers.length === 0)
    return <FactItem name="Compare with">Nothing earlier to compare with.</FactItem>
  return (
    <FactItem name="Compare with">
      <ul className="flex flex-col gap-1">
        {output.offers.map(({ name, delivery: other }) => (
          <li key={other.id} className="wrap-anywhere">
            <button
              type="button"
              title={`Open ${other.id}`}
              className="data -my-1 rounded-small py-1 text-text hover:underline"
              onClick={() => go('deliveries', { id: other.id })}
            >
              {shortIdOf(other.id)}
            </button>{' '}
            {name}, {gapWords(Date.parse(receivedAt) - Date.parse(other.receivedAt))}.{' '}
            <LinkButton
              label={`Compare with ${name}`}
              onClick={() => {
                // The earlier delivery is on the left.
                const [left, right] =
                  other.seq < seq ? [other.id, deliveryId] : [deliveryId, other.id]
                void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
              }}
            >
              Compare
            </LinkButton>
          </li>
        ))}
      </ul>
    </FactItem>
  )
}

function gapWords(ms: number): string {
  return `${duration(ms)} ${ms < 0 ? 'later' : 'earlier'}`
}
