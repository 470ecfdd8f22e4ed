/** Edits headers as name and value rows, each with its problem. */
import { Plus, X } from 'lucide-react'
import { useId, useRef, type ReactNode } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { controlLook } from '../../ui/field.tsx'

export function HeaderEditor({
  label,
  hint,
  rows,
  onChange,
  problemOf,
  most = Number.POSITIVE_INFINITY,
}: {
  readonly label: string
  readonly hint: string
  readonly rows: readonly HookHeaderRow[]
  readonly onChange: (rows: readonly HookHeaderRow[]) => void
  /** The problem of the header with this name, or null. */
  readonly problemOf?: (name: string) => ReactNode
  readonly most?: number
}) {
  const id = useId()
  const isAdding = useRef(false)
  /** After adding a header, focus its name. */
  const takeFocus = (input: HTMLInputElement | null) => {
    if (input === null || !isAdding.current) return
    isAdding.current = false
    input.focus()
  }
  const repeated = repeatedNames(rows)
  const change = (key: number, part: Partial<HookHeaderRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-small font-medium text-muted">
        {label}
        <span className="font-normal text-subtle"> (optional)</span>
      </legend>
      {rows.map(({ key, name, value }, index) => {
        const filled = name !== '' || value !== ''
        const problem = repeated.has(name.toLowerCase())
          ? 'This header name is used twice.'
          : filled
            ? (problemOf?.(name) ?? null)
            : null
        const about = `${id}-${key}`
        return (
          <div key={key}>
            <div className="flex items-center gap-1.5">
              <input
                ref={index === rows.length - 1 ? takeFocus : undefined}
                aria-label={`${label}: name ${index + 1}`}
                aria-invalid={problem !== null}
                aria-describedby={about}
                placeholder="Name"
                spellCheck={false}
                autoComplete="off"
                value={name}
                onChange={(event) => change(key, { name: event.currentTarget.value })}
                className={`${controlLook} flex-1 data`}
              />
              <input
                aria-label={`${label}: value ${index + 1}`}
                aria-invalid={problem !== null}
                aria-describedby={about}
                placeholder="Value"
                spellCheck={false}
                autoComplete="off"
                value={value}
                onChange={(event) => change(key, { value: event.currentTarget.value })}
                className={`${controlLook} flex-[1.4] data`}
              />
              <IconButton
                label={`Remove header ${index + 1}`}
                icon={<X size={14} aria-hidden />}
                onClick={() => onChange(rows.filter((row) => row.key !== key))}
              />
            </div>
            <p id={about} className="mt-1 text-small text-bad empty:hidden">
              {problem}
            </p>
          </div>
        )
      })}
      <div className="flex items-center gap-3">
        <Button
          icon={<Plus size={13} aria-hidden />}
          disabled={rows.length >= most}
          onClick={() => {
            isAdding.current = true
            onChange(withEmptyRow(rows))
          }}
        >
          Add header
        </Button>
        <p className="text-small text-subtle">{hint}</p>
      </div>
    </fieldset>
  )
}

export interface HookHeaderRow {
  readonly key: number
  readonly name: string
  readonly value: string
}

export function rowsOfHeaders(headers: Readonly<Record<string, string>>): readonly HookHeaderRow[] {
  return Object.entries(headers).map(([name, value], key) => ({ key, name, value }))
}

export function withEmptyRow(rows: readonly HookHeaderRow[]): readonly HookHeaderRow[] {
  return [
    ...rows,
    { key: rows.reduce((highest, row) => Math.max(highest, row.key + 1), 0), name: '', value: '' },
  ]
}

/** Converts rows to headers. Skips rows with neither name nor value. */
export function headersOfRows(rows: readonly HookHeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter((row) => row.name !== '' || row.value !== '').map((row) => [row.name, row.value]),
  )
}

/** Names used in more than one row, case-insensitive. An object holds each name only once. */
export function repeatedNames(rows: readonly HookHeaderRow[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { name } of rows) {
    const folded = name.toLowerCase()
    if (folded !== '' && seen.has(folded)) repeated.add(folded)
    seen.add(folded)
  }
  return repeated
}
