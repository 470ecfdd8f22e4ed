/** The bar below the list for selected deliveries, or for the one marked as A to compare. */
import { GitCompareArrows, X } from 'lucide-react'
import { offeredActions } from '../../ui-state/delivery-actions.ts'
import { keysOf } from '../../key-map.ts'
import { useAppStore, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ActionButtons } from '../../connected/delivery-menu.tsx'
import { ActionKeys, keyCaps } from '../../ui/keys.tsx'
import { clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { ReplayButton } from '../replay/index.ts'
import { compareSelected } from './commands.ts'

export function SelectionBar() {
  const store = useAppStore()
  const {
    rows: selected,
    ofMore,
    clear: clearSelection,
  } = useParts('selection', 'rows', 'ofMore', 'clear')
  const { marked, mark: markForCompare } = useParts('compare', 'marked', 'mark')
  if (selected.size === 0 && marked === null) return null
  const oldestFirst = [...selected.values()].sort((left, right) => left.seq - right.seq)
  return (
    <div
      role="status"
      className="@container flex h-10 shrink-0 items-center gap-1 border-t border-line bg-raised pr-2 pl-4"
    >
      {selected.size > 0 ? (
        <>
          <span className="mr-1 font-medium whitespace-nowrap tabular-nums">
            {selected.size.toLocaleString('en')} selected
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-subtle">
            {ofMore
              ? `Newest matches only. Press ${keyCaps(keysOf('palette')).join(' ')} for commands on all matches.`
              : selected.size === 1
                ? 'Select one more to compare'
                : selected.size > 2
                  ? 'Select exactly two to compare'
                  : ''}
          </span>
          <ActionButtons
            actions={offeredActions(
              store.getState(),
              [...selected.values()],
              ['pin', 'note', 'export', 'delete'],
            )}
          />
          <ReplayButton rows={oldestFirst} />
          <Button
            kind="primary"
            disabled={selected.size !== 2}
            icon={GitCompareArrows}
            onClick={() => compareSelected(store)}
          >
            <span className="@max-[560px]:sr-only">Compare</span>
          </Button>
          <IconButton label="Clear selection" shortcut="back" icon={X} onClick={clearSelection} />
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
              icon={X}
              onClick={() => markForCompare(null)}
            />
          </>
        )
      )}
    </div>
  )
}
