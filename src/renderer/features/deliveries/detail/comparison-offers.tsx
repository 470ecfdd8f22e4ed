/** What this delivery is worth comparing with: the attempt before, its auth, the original of a refund, the last of its kind. */
import { GitCompareArrows } from 'lucide-react'
import { useEffect } from 'react'
import { useAppParts } from '../../../state/use-app.ts'
import { Button } from '../../../ui/button.tsx'

export function ComparisonOffers({ deliveryId }: { readonly deliveryId: string }) {
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
      {offers.value.map(({ name, delivery }) => (
        <Button
          key={delivery.id}
          className="font-normal"
          icon={<GitCompareArrows size={13} aria-hidden />}
          onClick={() => void compare({ kind: 'delivery', id: delivery.id }, { kind: 'delivery', id: deliveryId })}
        >
          {name}
        </Button>
      ))}
    </span>
  )
}
