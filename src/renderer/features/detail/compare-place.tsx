/** The Compare button at the end of a row. Without anything to compare with, its space stays empty so that the columns line up. */
import { GitCompareArrows } from 'lucide-react'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'

export function ComparePlace({
  label,
  pair,
}: {
  /** Label of the button. */
  readonly label: string
  /** Ids of the two deliveries, the earlier one first; null leaves the space empty. */
  readonly pair: readonly [string, string] | null
}) {
  const compare = useApp((state) => state.compare.start)
  return (
    <span className="flex w-22 shrink-0 justify-end @max-[560px]:w-7">
      {pair !== null && (
        <Button
          kind="quiet"
          className="h-6 px-1.5 text-small"
          aria-label={label}
          title={label}
          icon={<GitCompareArrows size={13} aria-hidden />}
          onClick={() =>
            void compare({ kind: 'delivery', id: pair[0] }, { kind: 'delivery', id: pair[1] })
          }
        >
          <span className="@max-[560px]:hidden">Compare</span>
        </Button>
      )}
    </span>
  )
}
