/** Under the list while deliveries are selected, or one waits to be compared: how many, and what can be done with them. */
import { GitCompareArrows, X } from 'lucide-react'
import { keysOf } from '../../state/key-map.ts'
import { useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Keys, keyCaps } from '../../ui/keys.tsx'
import { clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { ReplayButton } from '../replay/index.ts'
import { MarksBar } from './marks.tsx'

export function SelectionBar() {
  const { rows: picked, ofMore, clear: clearPicked } = useParts('selection', 'rows', 'ofMore', 'clear')
  const { marked, mark: markForCompare, start: compare } = useParts('compare', 'marked', 'mark', 'start')
  if (picked.size === 0 && marked === null) return null
  // As the service sent them.
  const oldestFirst = [...picked.values()].sort((one, other) => one.seq - other.seq)
  const [older, newer] = oldestFirst
  return (
    <div role="status" className="@container flex h-10 shrink-0 items-center gap-1 border-t border-line bg-raised pr-2 pl-4">
      {picked.size > 0 ? (
        <>
          <span className="mr-1 font-medium whitespace-nowrap tabular-nums">{picked.size.toLocaleString('en')} selected</span>
          <span className="min-w-0 flex-1 truncate text-small text-subtle">
            {ofMore
              ? `The newest that match. ${keyCaps(keysOf('palette')).join(' ')} has what acts on all of them.`
              : picked.size === 1
                ? 'One more can be compared with it'
                : picked.size > 2
                  ? 'Two can be compared'
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
          <IconButton label="Clear the selection" keys="Escape" icon={<X size={15} aria-hidden />} onClick={clearPicked} />
        </>
      ) : (
        marked !== null && (
          <>
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">A</span> is {eventWord(marked).text} of{' '}
              <span className="data">{clockTime(marked.receivedAt)}</span>. Press <Keys keys="c" spoken /> on another one.
            </span>
            <IconButton
              label="Forget A"
              keys="Escape"
              icon={<X size={15} aria-hidden />}
              onClick={() => {
                markForCompare(null)
              }}
            />
          </>
        )
      )}
    </div>
  )
}
