/** Opens the shrinker for a delivery. */
import { Shrink } from 'lucide-react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { useAppParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'

export function ShrinkButton({ delivery }: { readonly delivery: Delivery }) {
  const openShrink = useAppParts((state) => ({ openShrink: state.openShrink })).openShrink
  // What is no request, or was kept in part, cannot be sent again.
  if (delivery.malformed !== null || delivery.truncated || delivery.bodySize === 0) return null
  return <IconButton label="Shrink the body…" icon={<Shrink size={14} aria-hidden />} onClick={() => void openShrink(delivery)} />
}
