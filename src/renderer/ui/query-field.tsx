/** A labeled search field in a form, with the same completions as the search bar. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import type { QueryCount } from '../../shared/contract/nouns/deliveries.ts'
import {
  completionsFor,
  NOTHING_STORED,
  preselects,
  unfinishedPart,
  type Completion,
} from '../../shared/query/complete.ts'
import { boundedCount } from '../../shared/text/counted.ts'
import { useRead } from '../core-data/use-read.ts'
import { controlStyle, Field } from './field.tsx'
import { Suggestions } from './menu.tsx'
import { useSettled } from './use-form.ts'

/** Delay after typing before completions are counted, in milliseconds. */
const COUNT_PAUSE_MS = 120

type Counts = ReadonlyMap<string, QueryCount>

/** Completions under a search field, values with their number of deliveries. Must be inside an `Autocomplete.Root`. */
export function CompletionList({ counts }: { readonly counts: Counts }) {
  return (
    <Suggestions className="max-h-[min(420px,var(--available-height))] w-[min(640px,max(var(--anchor-width),440px),var(--available-width))] bg-surface py-1">
      <Autocomplete.List className="grid grid-cols-[fit-content(60%)_minmax(0,1fr)_auto]">
        {(completion: Completion) => (
          <Autocomplete.Item
            key={completion.part}
            value={completion}
            className="col-span-3 mx-1 grid h-7 grid-cols-subgrid items-center gap-x-3 rounded-small px-2 data-highlighted:bg-selected"
          >
            <span className="data min-w-36 truncate text-text">{completion.part}</span>
            <span className="min-w-0 truncate text-small text-subtle">{completion.meaning}</span>
            <MatchCount count={counts.get(completion.text.trim())} />
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Suggestions>
  )
}

/** The number of deliveries that a query finds; empty until it is counted. */
export function MatchCount({ count }: { readonly count: QueryCount | undefined }) {
  const text = count === undefined ? null : boundedCount(count)
  return (
    <span className="data text-right text-small text-subtle">
      {text}
      {text !== null && (
        <span className="sr-only"> {text === '1' ? 'delivery' : 'deliveries'}</span>
      )}
    </span>
  )
}

/** How many deliveries each query finds, by query; those that aren't counted yet are left out. */
function useCounts(queries: readonly string[]): Counts {
  const settled = useSettled(queries.join('\n'), COUNT_PAUSE_MS)
  const counted = settled === '' ? null : settled.split('\n')
  const { output } = useRead('deliveries.counts', counted && { queries: counted })
  return new Map(
    (counted ?? []).flatMap((query, place) => {
      const count = output?.counts[place]
      return count == null ? [] : [[query, count] as const]
    }),
  )
}

/**
 * Completion of a query as in an editor: the best one is highlighted at once, Enter and Tab accept it, Esc closes the list. `root` and
 * `field` are the properties of `Autocomplete.Root` and its input.
 */
export function useCompletion({
  value,
  input,
  isFocused,
  onChange,
  onTyped,
  onEnter,
}: {
  readonly value: string
  readonly input: RefObject<HTMLInputElement | null>
  /** Stored values are read each time the field gets the focus. */
  readonly isFocused: boolean
  readonly onChange: (value: string) => void
  /** Text was typed, rather than a completion accepted. */
  readonly onTyped?: () => void
  /** Enter, with nothing to complete. */
  readonly onEnter?: () => void
}) {
  const { output: stored = NOTHING_STORED } = useRead('deliveries.suggest', isFocused ? {} : null, {
    keep: true,
  })
  const [caret, setCaret] = useState(0)
  const [wanted, setWanted] = useState<'no' | 'typing' | 'asked'>('no')
  const highlighted = useRef<Completion | undefined>(undefined)
  const at = Math.min(caret, value.length)
  const completions = completionsFor(value, at, stored)
  // An empty popup would still hide the page behind it from screen readers.
  const preselected = preselects(value, at, stored)
  // Between two words the list opens on request only: a highlighted field there would take the Enter that applies the query.
  const offering = wanted !== 'no' && completions.length > 0 && (preselected || wanted === 'asked')
  const counts = useCounts(
    offering
      ? completions.flatMap(({ part, text }) => (part.endsWith(':') ? [] : [text.trim()]))
      : [],
  )

  /** Places the caret once the text is rendered. */
  const select = (from: number, to: number) =>
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(from, to)
      setCaret(to)
    })
  const accepted = ({ part, caret: to }: Completion) => {
    select(to, to)
    // After a field name, its possible values are offered immediately.
    if (part.endsWith(':'))
      requestAnimationFrame(() => requestAnimationFrame(() => setWanted('typing')))
  }
  return {
    offering,
    counts,
    select,
    /** The part of the text that is still being typed. */
    unfinished: unfinishedPart(value, at),
    close: () => setWanted('no'),
    root: {
      items: completions,
      itemToStringValue: (completion: Completion) => completion.text,
      filter: null,
      value,
      onValueChange: (text: string, { reason }: { readonly reason: string }) => {
        onChange(text)
        const taken =
          reason === 'item-press'
            ? completions.find((completion) => completion.text === text)
            : undefined
        if (taken !== undefined) {
          accepted(taken)
          return
        }
        setCaret(input.current?.selectionStart ?? text.length)
        setWanted('typing')
        onTyped?.()
      },
      open: offering,
      onOpenChange: (open: boolean, { reason }: { readonly reason: string }) =>
        setWanted(!open ? 'no' : reason === 'input-change' ? 'typing' : 'asked'),
      openOnInputClick: true,
      autoHighlight: preselected ? ('always' as const) : false,
      onItemHighlighted: (completion: Completion | undefined) => {
        highlighted.current = completion
      },
    },
    field: {
      onSelect: () => setCaret(input.current?.selectionStart ?? value.length),
      onKeyDown: (event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler(): void }) => {
        const best = offering ? highlighted.current : undefined
        if (event.key === 'Tab' && !event.shiftKey && best !== undefined) {
          event.preventDefault()
          onChange(best.text)
          accepted(best)
        } else if (event.key === 'Enter' && best === undefined) {
          setWanted('no')
          onEnter?.()
          // By default, Esc would clear the field. Here it closes the completions first, then works as usual.
        } else if (event.key === 'Escape' && !offering) event.preventBaseUIHandler()
      },
    },
  } as const
}

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
  const { offering, counts, root, field } = useCompletion({ value, input, isFocused, onChange })
  return (
    <Field label={label} optional={optional} hint={hint} problem={offering ? undefined : problem}>
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
