/** A labeled search field for forms, with the completions of the search bar. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useRef, useState, type ReactNode } from 'react'
import { controlStyle, Field } from './field.tsx'
import { CompletionList, useCompletion } from './query-completion.tsx'

export function QueryField({
  label,
  optional = false,
  hint,
  problem,
  value,
  onChange,
}: {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isFocused, setFocused] = useState(false)
  const { isOpen, counts, root, field } = useCompletion({ value, input, isFocused, onChange })
  return (
    <Field label={label} optional={optional} hint={hint} problem={isOpen ? undefined : problem}>
      {(control) => (
        <Autocomplete.Root {...root}>
          <Autocomplete.Input
            ref={input}
            {...control}
            spellCheck={false}
            autoComplete="off"
            placeholder="event:, hook:, amount:<0, or any text"
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            {...field}
            className={`${controlStyle} data placeholder:font-sans`}
          />
          <CompletionList counts={counts} />
        </Autocomplete.Root>
      )}
    </Field>
  )
}
