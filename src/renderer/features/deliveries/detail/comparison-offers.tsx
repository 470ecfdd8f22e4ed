/** What this delivery is worth comparing with: the attempt before, its auth, the original of a refund, the last of its kind. */
import { GitCompareArrows } from 'lucide-react'
import { useEffect } from 'react'
import type { Delivery } from '../../../../shared/model/delivery.ts'
import { useAppParts } from '../../../state/use-app.ts'
import { Button } from '../../../ui/button.tsx'

export function ComparisonOffers({ delivery: { id: deliveryId, seq } }: { readonly delivery: Delivery }) {
  const { offers, readOffers, compare } = useAppParts((state) => ({
    offers: state.comparisonOffers?.id === deliveryId ? state.comparisonOffers : null,
    readOffers: state.readOffers,
    compare: state.compare,
  }))
  useEffect(() => {
    void readOffers(deliveryId)
  }, [readOffers, deliveryId])
  if (offers === null) return <span className="text-subtle"> </span>
  if (offers.value === null) return <span className="text-muted">{offers.problem}</span>
  if (offers.value.length === 0) return <span className="text-muted">Nothing like it was received before.</span>
  return (
    <span className="flex flex-wrap gap-1.5">
      {offers.value.map(({ name, delivery: other }) => (
        <Button
          key={other.id}
          className="max-w-full font-normal"
          icon={<GitCompareArrows size={13} aria-hidden className="shrink-0" />}
          onClick={() => {
            // What came first stands left.
            const [left, right] = other.seq < seq ? [other.id, deliveryId] : [deliveryId, other.id]
            void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
          }}
        >
          <span className="truncate" title={name}>
            {name}
          </span>
        </Button>
      ))}
    </span>
  )
}
