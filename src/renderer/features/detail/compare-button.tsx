/** A button that compares two deliveries. */
import { GitCompareArrows } from 'lucide-react'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'

export function CompareButton({
  label,
  pair: [left, right],
}: {
  readonly label: string
  /** Ids of the two deliveries, the earlier one first. */
  readonly pair: readonly [string, string]
}) {
  const compare = useApp((state) => state.compare.start)
  return (
    <Button
      kind="quiet"
      className="h-6 px-1.5 text-small"
      aria-label={label}
      title={label}
      icon={GitCompareArrows}
      onClick={() => void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })}
    >
      <span className="@max-[560px]:hidden">Compare</span>
    </Button>
  )
}
