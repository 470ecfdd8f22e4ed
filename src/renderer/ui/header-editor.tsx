/** The editor of headers: a row for each, with its problem below. */
import { Plus, X } from 'lucide-react'
import { useId, useRef, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { controlStyle } from './field.tsx'
import { withEmptyRow, type HeaderRow } from './header-rows.ts'

export function HeaderEditor({
  label,
  hint,
  rows,
  onChange,
  problemOf,
}: {
  readonly label: string
  readonly hint: ReactNode
  readonly rows: readonly HeaderRow[]
  readonly onChange: (rows: readonly HeaderRow[]) => void
  readonly problemOf: (name: string) => ReactNode
}) {
  const id = useId()
  const isAdding = useRef(false)
  /** After adding a header, focus its name. */
  const takeFocus = (input: HTMLInputElement | null) => {
    if (input === null || !isAdding.current) return
    isAdding.current = false
    input.focus()
  }
  const change = (key: number, part: Partial<HeaderRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-small font-medium text-muted">
        {label}
        <span className="font-normal text-subtle"> (optional)</span>
      </legend>
      {rows.map(({ key, name, value }, index) => {
        const problem = name === '' && value === '' ? undefined : problemOf(name)
        const about = `${id}-${key}`
        const shared = {
          'aria-invalid': problem !== undefined,
          'aria-describedby': about,
          spellCheck: false,
          autoComplete: 'off',
        }
        return (
          <div key={key}>
            <div className="flex items-center gap-1.5">
              <input
                ref={index === rows.length - 1 ? takeFocus : undefined}
                aria-label={`${label}: name ${index + 1}`}
                {...shared}
                placeholder="Name"
                value={name}
                onChange={(event) => change(key, { name: event.currentTarget.value })}
                className={`${controlStyle} flex-1 data`}
              />
              <input
                aria-label={`${label}: value ${index + 1}`}
                {...shared}
                placeholder="Value"
                value={value}
                onChange={(event) => change(key, { value: event.currentTarget.value })}
                className={`${controlStyle} flex-[1.4] data`}
              />
              <IconButton
                label={`Remove header ${index + 1}`}
                icon={X}
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
          icon={Plus}
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
