/** The header of the list's columns, which sorts the list. */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import type { SortKey } from '../../../shared/model/delivery.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import type { Column } from './column.ts'

/** Shows the names of columns, which sort the list. One is a tab stop; arrow keys move. */
export function ColumnHeader({ columns }: { readonly columns: readonly Column[] }) {
  const [tabStop, setTabStop] = useState<Column['id']>('time')
  const stop = columns.some(({ id }) => id === tabStop) ? tabStop : columns[0]?.id
  const { sort, sortNext, onKeyDown } = useSortKeys()

  return (
    <div
      role="row"
      aria-rowindex={1}
      className="flex h-7 shrink-0 items-center overflow-hidden border-b border-line bg-surface pr-3 pl-4 text-small text-subtle select-none [scrollbar-gutter:stable]"
    >
      {columns.map(({ id, title, className, sort: by, isRight }) => {
        const isSorted = by === sort.by
        return (
          <span
            key={id}
            role="columnheader"
            aria-sort={
              by === null
                ? undefined
                : isSorted
                  ? sort.descending
                    ? 'descending'
                    : 'ascending'
                  : 'none'
            }
            tabIndex={id === stop ? 0 : -1}
            title={title}
            onFocus={() => setTabStop(id)}
            onClick={() => by !== null && sortNext(by)}
            onKeyDown={(key) => onKeyDown(key, by)}
            className={classNames(
              'flex h-full items-center gap-1',
              by !== null && 'hover:text-text',
              className,
              isSorted && 'text-text',
              isRight && 'justify-end',
              // Above the digits, unless it also says how they are sorted.
              id === 'amount' && (isSorted ? 'pr-4' : 'pr-[42px]'),
            )}
          >
            <span
              className={classNames(
                'truncate',
                id === 'signature' && '@max-[400px]:sr-only',
                id === 'amount' && 'shrink-0',
              )}
            >
              {id === 'handler' ? (
                <>
                  <span className="@max-[520px]:sr-only">Your </span>
                  <span className="@max-[520px]:capitalize">handler</span>
                </>
              ) : (
                title
              )}
              {id === 'amount' && isSorted && <span className="text-subtle"> by currency</span>}
            </span>
            {isSorted &&
              (sort.descending ? (
                <ArrowDown size={12} className="shrink-0" />
              ) : (
                <ArrowUp size={12} className="shrink-0" />
              ))}
          </span>
        )
      })}
    </div>
  )
}

/** Returns the order, and the handlers that sort by a column and move between headers by key. */
function useSortKeys() {
  const { sort, sortBy } = useParts('list', 'sort', 'sortBy')
  // Times and amounts start with the largest, names with A.
  const sortNext = (by: SortKey) =>
    sortBy({
      by,
      descending:
        by === sort.by ? !sort.descending : !['verdict', 'event', 'merchant', 'path'].includes(by),
    })

  const onKeyDown = (key: KeyboardEvent<HTMLElement>, by: SortKey | null) => {
    if (key.altKey || key.shiftKey || key.ctrlKey || key.metaKey) return
    const step = { ArrowLeft: -1, ArrowRight: 1, Enter: 0, ' ': 0 }[key.key]
    if (step === undefined) return
    // The key doesn't act on the rows too.
    key.preventDefault()
    key.stopPropagation()
    if (step === 0) {
      if (by !== null) sortNext(by)
      return
    }
    const cells = [...(key.currentTarget.parentElement?.children ?? [])].filter(
      (cell): cell is HTMLElement => cell instanceof HTMLElement && cell.offsetWidth > 0,
    )
    cells[cells.indexOf(key.currentTarget) + step]?.focus()
  }
  return { sort, sortNext, onKeyDown }
}
