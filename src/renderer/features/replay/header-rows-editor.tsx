/** Edits request headers as rows, in order and with duplicates. Signature headers are set on send. */
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { headerProblem } from '../../../shared/http.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { controlLook } from '../../ui/field.tsx'
import { movedRow, type HeaderRow } from './draft.ts'

export function HeaderRowsEditor({
  rows,
  onRows,
  madeOf,
}: {
  readonly rows: readonly HeaderRow[]
  readonly onRows: (rows: readonly HeaderRow[]) => void
  /** Text shown for a value that is set on send; null if the value is sent as typed. */
  readonly madeOf: (name: string) => string | null
}) {
  const id = useId()
  const change = (key: number, part: Partial<HeaderRow>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  /** Moving a row would lose the focus, so restore it afterwards. */
  const focused = useRef<HTMLElement | null>(null)
  const [said, setSaid] = useState('')
  useLayoutEffect(() => {
    const element = focused.current
    focused.current = null
    // At either end the move button is disabled, so focus the row instead.
    if (element?.matches(':disabled') === true)
      element.closest('[data-header]')?.querySelector('input')?.focus()
    else element?.focus()
  }, [rows])
  const move = (row: HeaderRow, by: -1 | 1) => {
    const moved = movedRow(rows, row.key, by)
    if (moved === rows) return
    focused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    setSaid(
      `${row.name === '' ? 'Header' : row.name} moved to ${moved.indexOf(row) + 1} of ${rows.length}.`,
    )
    onRows(moved)
  }
  return (
    <div className="h-full overflow-auto px-4 py-3" tabIndex={0} role="group" aria-label="Headers">
      <div className="flex flex-col gap-1.5">
        {rows.map((row, index) => {
          const made = madeOf(row.name)
          const problem = made === null ? headerProblem(row.name, row.value) : null
          const about = `${id}-${row.key}`
          return (
            <div
              key={row.key}
              data-header
              onKeyDown={(event) => {
                const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null
                if (
                  by === null ||
                  !event.altKey ||
                  event.ctrlKey ||
                  event.metaKey ||
                  event.shiftKey
                )
                  return
                event.preventDefault()
                move(row, by)
              }}
            >
              <div className="flex items-center gap-1.5">
                <input
                  aria-label={`Header ${index + 1}: name`}
                  aria-invalid={problem !== null}
                  aria-describedby={about}
                  readOnly={made !== null}
                  spellCheck={false}
                  autoComplete="off"
                  value={row.name}
                  onChange={(event) => change(row.key, { name: event.currentTarget.value })}
                  className={`${controlLook} min-w-0 flex-1 data read-only:text-muted`}
                />
                <input
                  aria-label={`Header ${index + 1}: value`}
                  aria-invalid={problem !== null}
                  aria-describedby={about}
                  readOnly={made !== null}
                  spellCheck={false}
                  autoComplete="off"
                  value={made ?? row.value}
                  onChange={(event) => change(row.key, { value: event.currentTarget.value })}
                  className={`${controlLook} min-w-0 flex-1 data ${made === null ? '' : 'font-sans text-subtle italic'}`}
                />
                <span className="flex shrink-0">
                  <IconButton
                    label={`Move header ${index + 1} up`}
                    keys="Alt+ArrowUp"
                    icon={<ArrowUp size={14} aria-hidden />}
                    disabled={index === 0}
                    onClick={() => move(row, -1)}
                  />
                  <IconButton
                    label={`Move header ${index + 1} down`}
                    keys="Alt+ArrowDown"
                    icon={<ArrowDown size={14} aria-hidden />}
                    disabled={index === rows.length - 1}
                    onClick={() => move(row, 1)}
                  />
                  <IconButton
                    label={`Remove header ${index + 1}`}
                    icon={<X size={14} aria-hidden />}
                    disabled={made !== null}
                    onClick={(event) => {
                      // Removing a row would lose the focus, so move it to a neighbor.
                      const own = event.currentTarget.closest('[data-header]')
                      const beside = own?.nextElementSibling ?? own?.previousElementSibling
                      beside?.querySelector('input')?.focus()
                      onRows(rows.filter(({ key }) => key !== row.key))
                    }}
                  />
                </span>
              </div>
              <p id={about} className="mt-0.5 text-small text-bad empty:hidden">
                {problem}
              </p>
            </div>
          )
        })}
      </div>
      <div className="mt-3 flex items-center gap-3">
        <Button
          icon={<Plus size={13} aria-hidden />}
          onClick={() =>
            onRows([
              ...rows,
              {
                key: rows.reduce((highest, { key }) => Math.max(highest, key + 1), 1_000),
                name: '',
                value: '',
              },
            ])
          }
        >
          Add header
        </Button>
        <p className="text-small text-subtle">
          Host, Connection and Content-Length are set automatically.
        </p>
        <p className="sr-only" role="status">
          {said}
        </p>
      </div>
    </div>
  )
}
