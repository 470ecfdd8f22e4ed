/** Search in the open body: the number of hits, and moving between them. */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import type { Highlight } from './find-text.ts'
import { useAboutBody, type BodySource } from './lay-out-in-worker.ts'

interface BodySearch {
  readonly open: boolean
  /** Incremented on each request to search: the field then takes the focus. */
  readonly asked: number
  readonly wanted: string
  readonly searching: boolean
  readonly count: number
  readonly more: boolean
  readonly current: number
  readonly highlight: Highlight | null
  /** The current hit; a new object when it changes. */
  readonly reveal: { readonly at: number } | null
  show(): void
  close(): void
  setWanted(wanted: string): void
  step(by: 1 | -1): void
}

/** Searches in the worker, so that typing stays responsive at any size. */
export function useBodySearch(source: BodySource): BodySearch {
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState(0)
  const [wanted, setWanted] = useState('')
  const [current, setCurrent] = useState(0)
  const question = useMemo(
    () => (open && wanted !== '' ? ({ ask: 'find', wanted } as const) : null),
    [open, wanted],
  )
  const answer = useAboutBody(source, question)
  const found = question !== null && typeof answer === 'object' ? answer : null
  const count = found?.starts.length ?? 0
  const place = count === 0 ? 0 : Math.min(current, count - 1)
  const reveal = useMemo(
    () => (found === null || count === 0 ? null : { at: found.starts[place] ?? 0 }),
    [found, count, place],
  )
  const highlight = useMemo(
    () => (found === null || count === 0 ? null : { found, length: wanted.length, current: place }),
    [found, count, wanted, place],
  )
  return {
    open,
    asked,
    wanted,
    searching: question !== null && answer === 'reading',
    count,
    more: found?.more ?? false,
    current: place,
    highlight,
    reveal,
    show() {
      setOpen(true)
      setAsked(asked + 1)
    },
    close() {
      setOpen(false)
    },
    setWanted(next) {
      setWanted(next)
      setCurrent(0)
    },
    step(by) {
      if (count > 0) setCurrent((place + by + count) % count)
    },
  }
}

export function BodySearchBar({
  search,
  onClose,
}: {
  readonly search: BodySearch
  readonly onClose: () => void
}) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [search.asked])
  return (
    <div
      role="search"
      className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-raised pr-2 pl-4"
    >
      <input
        ref={field}
        aria-label="Search body"
        placeholder="Search body"
        spellCheck={false}
        autoComplete="off"
        value={search.wanted}
        onChange={(event) => search.setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search.step(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
        }}
        className="data h-7 min-w-0 flex-1 rounded-control border border-edge/60 bg-ground px-2 text-text hover:border-edge"
      />
      <span
        className="min-w-16 shrink-0 text-right text-small text-muted tabular-nums"
        role="status"
      >
        {placeOf(search)}
      </span>
      <IconButton
        label="Previous"
        keys="Shift+Enter"
        icon={<ChevronUp size={15} aria-hidden />}
        disabled={search.count === 0}
        onClick={() => search.step(-1)}
      />
      <IconButton
        label="Next"
        keys="Enter"
        icon={<ChevronDown size={15} aria-hidden />}
        disabled={search.count === 0}
        onClick={() => search.step(1)}
      />
      <IconButton
        label="Close search"
        keys="Escape"
        icon={<X size={15} aria-hidden />}
        onClick={onClose}
      />
    </div>
  )
}

function placeOf({ wanted, searching, count, more, current }: BodySearch): string {
  if (wanted === '' || searching) return ''
  if (count === 0) return 'No matches'
  return `${(current + 1).toLocaleString('en')} of ${count.toLocaleString('en')}${more ? '+' : ''}`
}
