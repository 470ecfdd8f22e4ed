/** The headers of a request as rows: order and repeated names are kept. Those of the proof are made when it is sent. */
import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { headerProblem } from '../../../shared/http/request-headers.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { controlLook } from '../../ui/field.tsx'
import type { HeaderRow } from './draft.ts'

export interface HeaderRowsEditorProps {
  readonly rows: readonly HeaderRow[]
  readonly onRows: (rows: readonly HeaderRow[]) => void
  /** What stands in place of a value that is made when it is sent; null where the value goes as it is. */
  readonly madeOf: (name: string) => string | null
}

/** What is wrong with a row; null where nothing is. */
export function rowProblem({ name, value }: HeaderRow): string | null {
  return headerProblem(name, value)
}

export function HeaderRowsEditor({ rows, onRows, madeOf }: HeaderRowsEditorProps) {
  const id = useId()
  const change = (key: number, part: Partial<HeaderRow>) => {
    onRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  }
  return (
    <div className="h-full overflow-auto px-4 py-3" tabIndex={0} role="group" aria-label="Headers">
      <div className="flex flex-col gap-1.5">
        {rows.map((row, index) => {
          const made = madeOf(row.name)
          const problem = made === null ? rowProblem(row) : null
          const about = `${id}-${row.key}`
          return (
            <div key={row.key}>
              <div className="flex items-center gap-1.5">
                <input
                  aria-label={`Header ${index + 1}: name`}
                  aria-invalid={problem !== null}
                  aria-describedby={about}
                  readOnly={made !== null}
                  spellCheck={false}
                  autoComplete="off"
                  value={row.name}
                  onChange={(event) => {
                    change(row.key, { name: event.currentTarget.value })
                  }}
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
                  onChange={(event) => {
                    change(row.key, { value: event.currentTarget.value })
                  }}
                  className={`${controlLook} min-w-0 flex-[1.4] data ${made === null ? '' : 'font-sans text-subtle italic'}`}
                />
                <IconButton
                  label={`Remove header ${index + 1}`}
                  icon={<X size={14} aria-hidden />}
                  disabled={made !== null}
                  onClick={() => {
                    onRows(rows.filter(({ key }) => key !== row.key))
                  }}
                />
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
          onClick={() => {
            onRows([...rows, { key: rows.reduce((highest, { key }) => Math.max(highest, key + 1), 1_000), name: '', value: '' }])
          }}
        >
          Add a header
        </Button>
        <p className="text-small text-subtle">Host, Connection and Content-Length are made for the new connection.</p>
      </div>
    </div>
  )
}
