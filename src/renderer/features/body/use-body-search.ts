/** The search in a body: asked of the worker, so that no size holds up what is typed. */
import { useMemo, useState } from 'react'
import type { Highlight } from './found-in.ts'
import type { BodySource } from './lay-out-in-worker.ts'
import { useAboutBody } from './use-about-body.ts'

export interface BodySearch {
  readonly open: boolean
  /** Rises each time that the search is asked for: the field then takes the focus. */
  readonly asked: number
  readonly wanted: string
  readonly searching: boolean
  readonly count: number
  readonly more: boolean
  readonly current: number
  readonly highlight: Highlight | null
  /** The place that is looked at; a new object when it changes. */
  readonly reveal: { readonly at: number } | null
  show(): void
  close(): void
  setWanted(wanted: string): void
  step(by: 1 | -1): void
}

export function useBodySearch(source: BodySource): BodySearch {
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState(0)
  const [wanted, setWanted] = useState('')
  const [current, setCurrent] = useState(0)
  const question = useMemo(() => (open && wanted !== '' ? ({ ask: 'find', wanted } as const) : null), [open, wanted])
  const answer = useAboutBody(source, question)
  const found = question !== null && typeof answer === 'object' ? answer : null
  const count = found?.starts.length ?? 0
  const place = count === 0 ? 0 : Math.min(current, count - 1)
  const reveal = useMemo(() => (found === null || count === 0 ? null : { at: found.starts[place] ?? 0 }), [found, count, place])
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
