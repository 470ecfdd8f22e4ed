/** Opens the shrinker for a send that failed: to the same target. */
import { Shrink } from 'lucide-react'
import { isRejected, type Send } from '../../../shared/model/send.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'

const failing: readonly Send['outcome'][] = ['first-fail', 'still-failing', 'regressed']

export function ShrinkSend({ send }: { readonly send: Send }) {
  const { delivery, openShrink } = useAppParts((state) => ({
    delivery: state.detail.shown?.delivery ?? null,
    openShrink: state.shrink.open,
  }))
  if (delivery?.id !== send.deliveryId || delivery.bodySize === 0) return null
  if (!failing.includes(send.outcome) || isRejected(send)) return null
  return (
    <Button
      kind="quiet"
      className="ml-auto font-normal"
      icon={<Shrink size={13} aria-hidden />}
      onClick={() => void openShrink(delivery, send.target)}
    >
      Shrink the body…
    </Button>
  )
}
