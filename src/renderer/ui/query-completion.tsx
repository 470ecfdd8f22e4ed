/** Completion of search queries. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import type { QueryCount } from '../../shared/contract/nouns/deliveries.ts'
import {
  completionsFor,
  NOTHING_STORED,
  preselects,
  type Completion,
} from '../../shared/query/completions.ts'
import { unfinishedPart } from '../../shared/query/unfinished-part.ts'
import { boundedCount } from '../../shared/text/english.ts'
import { useRead } from '../core-data/use-read.ts'
import { Suggestions } from './menu.tsx'
import { useSettled } from './use-form.ts'

const COUNT_PAUSE_MS = 120

type Counts = ReadonlyMap<string, QueryCount>

/** Lists completions with their number of deliveries; must be inside an `Autocomplete.Root`. */
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

/** Shows the number of deliveries that a query finds; empty until it is counted. */
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

/** Returns how many deliveries each query finds, without those that aren't counted yet. */
function useCounts(queries: readonly string[]): Counts {
  const settled = useSettled(queries.join('\n'), COUNT_PAUSE_MS)
  const settledQueries = settled === '' ? null : settled.split('\n')
  const { output } = useRead('deliveries.counts', settledQueries && { queries: settledQueries })
  return new Map(
    (settledQueries ?? []).flatMap((query, index) => {
      const count = output?.counts[index]
      return count == null ? [] : [[query, count] as const]
    }),
  )
}

const queriesOf = (completions: readonly Completion[]) =>
  completions.flatMap(({ part, text }) => (part.endsWith(':') ? [] : [text.trim()]))

/** Returns the caret's position, and a function that selects text once it is rendered. */
function useCaret(input: RefObject<HTMLInputElement | null>) {
  const [caret, setCaret] = useState(0)
  const select = (from: number, to: number) =>
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(from, to)
      setCaret(to)
    })
  return { caret, setCaret, select }
}

interface CompletionOptions {
  readonly value: string
  readonly input: RefObject<HTMLInputElement | null>
  /** Whether the field has the focus; stored values are read each time it gets it. */
  readonly isFocused: boolean
  readonly onChange: (value: string) => void
  /** Called when text is typed, rather than a completion accepted. */
  readonly onTyped?: () => void
  /** Called on Enter with nothing to complete. */
  readonly onEnter?: () => void
}

/**
 * Completes a query as in an editor: Enter and Tab accept the highlighted completion, Esc closes
 * the list. `root` and `field` are the props of `Autocomplete.Root` and its input.
 */
export function useCompletion({
  value,
  input,
  isFocused,
  onChange,
  onTyped,
  onEnter,
}: CompletionOptions) {
  const { output: stored = NOTHING_STORED } = useRead('deliveries.suggest', isFocused ? {} : null, {
    keep: true,
  })
  const { caret, setCaret, select } = useCaret(input)
  const [openedBy, setOpenedBy] = useState<'no' | 'typing' | 'asked'>('no')
  const highlighted = useRef<Completion | undefined>(undefined)
  const at = Math.min(caret, value.length)
  const completions = completionsFor(value, at, stored)
  const preselected = preselects(value, at, stored)
  // An empty popup would hide the page from screen readers. Between two words, the list opens only
  // on request, because Enter would accept its highlighted item instead of applying the query.
  const isOpen =
    openedBy !== 'no' && completions.length > 0 && (preselected || openedBy === 'asked')
  const counts = useCounts(isOpen ? queriesOf(completions) : [])

  const moveBehind = ({ part, caret: to }: Completion) => {
    select(to, to)
    // After a field name, its possible values are offered immediately.
    if (part.endsWith(':'))
      requestAnimationFrame(() => requestAnimationFrame(() => setOpenedBy('typing')))
  }
  return {
    isOpen,
    counts,
    select,
    /** Part of the text that is still being typed. */
    unfinished: unfinishedPart(value, at),
    close: () => setOpenedBy('no'),
    root: {
      items: completions,
      itemToStringValue: (completion: Completion) => completion.text,
      filter: null,
      value,
      onValueChange: (text: string, { reason }: { readonly reason: string }) => {
        onChange(text)
        const accepted = completions.find((completion) => completion.text === text)
        if (reason === 'item-press' && accepted !== undefined) return moveBehind(accepted)
        setCaret(input.current?.selectionStart ?? text.length)
        setOpenedBy('typing')
        onTyped?.()
      },
      open: isOpen,
      onOpenChange: (open: boolean, { reason }: { readonly reason: string }) =>
        setOpenedBy(!open ? 'no' : reason === 'input-change' ? 'typing' : 'asked'),
      openOnInputClick: true,
      autoHighlight: preselected ? ('always' as const) : false,
      onItemHighlighted: (completion: Completion | undefined) => {
        highlighted.current = completion
      },
    },
    field: {
      onSelect: () => setCaret(input.current?.selectionStart ?? value.length),
      onKeyDown: (event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler(): void }) => {
        const best = isOpen ? highlighted.current : undefined
        if (event.key === 'Tab' && !event.shiftKey && best !== undefined) {
          event.preventDefault()
          onChange(best.text)
          moveBehind(best)
        } else if (event.key === 'Enter' && best === undefined) {
          setOpenedBy('no')
          onEnter?.()
          // By default, Esc would clear the field; here it closes the completions first.
        } else if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler()
      },
    },
  } as const
}
