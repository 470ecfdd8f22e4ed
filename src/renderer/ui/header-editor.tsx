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
  const isAdding = useRef(false)
  /** Focuses the name of an added header. */
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
      {rows.map((row, index) => (
        <HeaderFields
          key={row.key}
          row={row}
          label={label}
          number={index + 1}
          nameRef={index === rows.length - 1 ? takeFocus : undefined}
          problem={row.name === '' && row.value === '' ? undefined : problemOf(row.name)}
          onChange={(part) => change(row.key, part)}
          onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
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

function HeaderFields({
  row: { name, value },
  label,
  number,
  nameRef,
  problem,
  onChange,
  onRemove,
}: {
  readonly row: HeaderRow
  readonly label: string
  readonly number: number
  readonly nameRef: ((input: HTMLInputElement | null) => void) | undefined
  readonly problem: ReactNode
  readonly onChange: (part: Partial<HeaderRow>) => void
  readonly onRemove: () => void
}) {
  const about = useId()
  const shared = {
    'aria-invalid': problem !== undefined,
    'aria-describedby': about,
    spellCheck: false,
    autoComplete: 'off',
  }
  return (
    <div>
      <div className="flex items-center gap-1.5">
        <input
          ref={nameRef}
          aria-label={`${label}: name ${number}`}
          {...shared}
          placeholder="Name"
          value={name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          className={`${controlStyle} flex-1 data`}
        />
        <input
          aria-label={`${label}: value ${number}`}
          {...shared}
          placeholder="Value"
          value={value}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
          className={`${controlStyle} flex-[1.4] data`}
        />
        <IconButton label={`Remove header ${number}`} icon={X} onClick={onRemove} />
      </div>
      <p id={about} className="mt-1 text-small text-bad empty:hidden">
        {problem}
      </p>
    </div>
  )
}
