import { Autocomplete } from '@base-ui/react/autocomplete'
import { ChevronDown } from 'lucide-react'
import { useEffect, useState, type ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Suggestions } from './menu.tsx'
import { visibleText } from './visible-text.ts'
import { controlStyle } from './field.tsx'

export interface Suggestion {
  readonly value: string
  /** Distinction, quieter, at the right; the value is then a name for the note. */
  readonly note?: string
  /** Heading above consecutive suggestions of one group. */
  readonly group?: string
}

interface SuggestionGroup {
  readonly group: string
  readonly items: readonly Suggestion[]
}

/** Edits a text with suggestions that contain it in a list below; anything else can be typed. */
export function SuggestInput({
  suggestions,
  value,
  onChange,
  onOpen,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'defaultValue'> & {
  readonly suggestions: readonly Suggestion[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onOpen?: (open: boolean) => void
}) {
  const [isRequested, setRequested] = useState(false)
  const [isTyping, setTyping] = useState(false)
  const text = value.trim().toLowerCase()
  const matches = isTyping
    ? suggestions.filter((one) => `${one.value} ${one.note ?? ''}`.toLowerCase().includes(text))
    : suggestions
  const isOnlyItself = matches.length === 1 && matches[0]?.value === value.trim()
  // A cleared field shows no suggestions, because it is meant to be empty.
  const isCleared = isTyping && text === ''
  const open = isRequested && matches.length > 0 && !isOnlyItself && !isCleared
  useEffect(() => onOpen?.(open), [open, onOpen])
  const groups = [...Map.groupBy(matches, ({ group = '' }) => group)]
  return (
    <Autocomplete.Root
      items={groups.map(([group, items]) => ({ group, items }))}
      itemToStringValue={(one: Suggestion) => one.value}
      filter={null}
      value={value}
      onValueChange={(typed, { reason }) => {
        setTyping(reason !== 'item-press')
        onChange(typed)
      }}
      open={open}
      onOpenChange={(next) => {
        setRequested(next)
        if (!next) setTyping(false)
      }}
      openOnInputClick
    >
      <span className="relative flex">
        <Autocomplete.Input
          spellCheck={false}
          autoComplete="off"
          onKeyDown={(event) => {
            // Esc closes the list first, then works as usual.
            if (event.key === 'Escape' && !open) event.preventBaseUIHandler()
          }}
          className={classNames(controlStyle, 'data', suggestions.length > 0 && 'pr-8', className)}
          {...rest}
        />
        {suggestions.length > 0 && (
          <Autocomplete.Trigger
            aria-label="Show suggestions"
            className="absolute top-0 right-1 inline-flex size-7 items-center justify-center text-subtle hover:text-text"
          >
            <ChevronDown size={14} />
          </Autocomplete.Trigger>
        )}
      </span>
      <SuggestionList />
    </Autocomplete.Root>
  )
}

/** Lists the groups that `Autocomplete.Root` received as its items. */
function SuggestionList() {
  return (
    <Suggestions className="max-h-[min(320px,var(--available-height))] w-(--anchor-width) bg-raised p-1">
      <Autocomplete.List aria-label="Suggestions">
        {({ group, items }: SuggestionGroup) => (
          <Autocomplete.Group key={group} items={items} className="not-last:mb-1">
            {group !== '' && (
              <Autocomplete.GroupLabel className="px-2 pt-1 pb-0.5 text-tiny font-medium text-subtle">
                {group}
              </Autocomplete.GroupLabel>
            )}
            <Autocomplete.Collection>
              {(suggestion: Suggestion) => (
                <SuggestionItem key={suggestion.value} suggestion={suggestion} />
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Suggestions>
  )
}

function SuggestionItem({ suggestion }: { readonly suggestion: Suggestion }) {
  const { value, note } = suggestion
  return (
    <Autocomplete.Item
      value={suggestion}
      className="flex h-7 items-center gap-2 rounded-small px-2 data-highlighted:bg-selected"
    >
      <span className={classNames('data truncate', note !== undefined && 'shrink-0')}>
        {visibleText(value)}
      </span>
      {note !== undefined && (
        <span className="data min-w-0 flex-1 truncate text-right text-subtle">
          {visibleText(note)}
        </span>
      )}
    </Autocomplete.Item>
  )
}
