/** The bar below the list while deliveries are selected or one is set as A to compare: the number selected, and the actions. */
import { GitCompareArrows, X } from 'lucide-react'
import { keysOf } from '../../state/key-map.ts'
import { useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ActionKeys, keyCaps } from '../../ui/keys.tsx'
import { clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { ReplayButton } from '../replay/index.ts'
import { MarksBar } from './marks.tsx'

export function SelectionBar() {
  const {
    rows: picked,
    ofMore,
    clear: clearPicked,
  } = useParts('selection', 'rows', 'ofMore', 'clear')
  const {
    marked,
    mark: markForCompare,
    start: compare,
  } = useParts('compare', 'marked', 'mark', 'start')
  if (picked.size === 0 && marked === null) return null
  // In the order sent by the service.
  const oldestFirst = [...picked.values()].sort((one, other) => one.seq - other.seq)
  const [older, newer] = oldestFirst
  return (
    <div
      role="status"
      className="@container flex h-10 shrink-0 items-center gap-1 border-t border-line bg-raised pr-2 pl-4"
    >
      {picked.size > 0 ? (
        <>
          <span className="mr-1 font-medium whitespace-nowrap tabular-nums">
            {picked.size.toLocaleString('en')} selected
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-subtle">
            {ofMore
              ? `Newest matches only. Press ${keyCaps(keysOf('palette')).join(' ')} for commands on all matches.`
              : picked.size === 1
                ? 'Select one more to compare'
                : picked.size > 2
                  ? 'Select exactly two to compare'
                  : ''}
          </span>
          <MarksBar rows={[...picked.values()]} />
          <ReplayButton rows={oldestFirst} compact />
          <Button
            kind="primary"
            disabled={picked.size !== 2}
            icon={<GitCompareArrows size={14} aria-hidden />}
            onClick={() => {
              if (older !== undefined && newer !== undefined)
                void compare({ kind: 'delivery', id: older.id }, { kind: 'delivery', id: newer.id })
            }}
          >
            <span className="@max-[560px]:sr-only">Compare</span>
          </Button>
          <IconButton
            label="Clear selection"
            shortcut="back"
            icon={<X size={15} aria-hidden />}
            onClick={clearPicked}
          />
        </>
      ) : (
        marked !== null && (
          <>
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">A</span> is {eventWord(marked).text} at{' '}
              <span className="data">{clockTime(marked.receivedAt)}</span>. Press{' '}
              <ActionKeys action="compare" spoken /> on another delivery to compare.
            </span>
            <IconButton
              label="Clear A"
              shortcut="back"
              icon={<X size={15} aria-hidden />}
              onClick={() => markForCompare(null)}
            />
          </>
        )
      )}
    </div>
  )
}
