/** A labeled search field in a form, with the same completions as the search bar. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useRef, useState, type ReactNode } from 'react'
import { completionsFor, type Completion } from '../../shared/query/complete.ts'
import { useParts } from '../state/use-app.ts'
import { controlLook, Field } from './field.tsx'

/** Completions under a search field. Must be inside an `Autocomplete.Root`. */
export function CompletionList() {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <Autocomplete.Popup className="max-h-[min(420px,var(--available-height))] w-[min(640px,max(var(--anchor-width),440px),var(--available-width))] overflow-y-auto rounded-control border border-line bg-surface py-1 shadow-overlay">
          <Autocomplete.List className="grid grid-cols-[fit-content(60%)_minmax(0,1fr)]">
            {(completion: Completion) => (
              <Autocomplete.Item
                key={completion.part}
                value={completion}
                className="col-span-2 mx-1 grid h-7 grid-cols-subgrid items-center gap-x-3 rounded-small px-2 data-highlighted:bg-selected"
              >
                <span className="data min-w-36 truncate text-text">{completion.part}</span>
                <span className="min-w-0 truncate text-small text-subtle">{completion.meaning}</span>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Popup>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  )
}

export interface QueryFieldProps {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
}

export function QueryField({ label, optional = false, hint, problem, value, onChange }: QueryFieldProps) {
  const { stored, loadStored } = useParts('filter', 'stored', 'loadStored')
  const input = useRef<HTMLInputElement>(null)
  const [caret, setCaret] = useState(0)
  const [wanted, setWanted] = useState(false)
  const completions = completionsFor(value, Math.min(caret, value.length), stored)
  const offering = wanted && completions.length > 0

  const noteCaret = () => {
    setCaret(input.current?.selectionStart ?? value.length)
  }
  const take = (completion: Completion) => {
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(completion.caret, completion.caret)
      setCaret(completion.caret)
      // After a field name, its possible values are suggested immediately.
      if (completion.part.endsWith(':')) requestAnimationFrame(() => setWanted(true))
    })
  }
  return (
    <Field label={label} optional={optional} hint={hint} problem={offering ? undefined : problem}>
      {({ id, describedBy, invalid }) => (
        <Autocomplete.Root
          items={completions}
          itemToStringValue={(completion: Completion) => completion.text}
          filter={null}
          value={value}
          onValueChange={(text, { reason }) => {
            onChange(text)
            const taken = reason === 'item-press' ? completions.find((completion) => completion.text === text) : undefined
            if (taken === undefined) setCaret(input.current?.selectionStart ?? text.length)
            else take(taken)
          }}
          open={offering}
          onOpenChange={setWanted}
          openOnInputClick
        >
          <Autocomplete.Input
            ref={input}
            id={id}
            spellCheck={false}
            autoComplete="off"
            placeholder="event:, hook:, amount:<0, or any text"
            aria-describedby={describedBy}
            aria-invalid={invalid}
            onFocus={() => {
              void loadStored()
            }}
            onSelect={noteCaret}
            onKeyDown={(event) => {
              // Esc closes the suggestions first, then works as usual.
              if (event.key === 'Escape' && !offering) event.preventBaseUIHandler()
            }}
            className={`${controlLook} data placeholder:font-sans`}
          />
          <CompletionList />
        </Autocomplete.Root>
      )}
    </Field>
  )
}
