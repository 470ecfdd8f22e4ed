/**
 * Entry of the search's thread: each job gets the result of one body and returns the next to try.
 */
import type { ShrinkResult, ShrinkRun } from '../../shared/model/shrink.ts'
import { setUpThread, serveJobs } from '../base/threads/job-thread.ts'
import { lowerPriority } from '../base/threads/priority.ts'
import { countNodes, fieldsOf, shrinkJson, textOfJson } from './shrink-json.ts'
import { shrinkBytes } from './delta-debugging.ts'

interface ShrinkStep {
  readonly phase: 'removing' | 'simplifying'
  readonly body: Uint8Array
  readonly isSmallest: boolean
}

export type ShrinkDescription = Pick<ShrinkResult, 'removed' | 'fields'>

let original: Uint8Array = new Uint8Array()
let text: string | null = null
let event: string | null = null
let phase: ShrinkStep['phase'] = 'removing'
let step = Promise.withResolvers<ShrinkStep>()
let answerLast: (isFailing: boolean) => void = () => undefined

const fails = (body: Uint8Array) =>
  new Promise<boolean>((resolve) => {
    answerLast = resolve
    step.resolve({ phase, body, isSmallest: false })
  })

async function search(): Promise<Uint8Array> {
  if (text === null) return shrinkBytes(original, fails)
  const encode = (part: string) => new TextEncoder().encode(part)
  const onPhase = (next: ShrinkStep['phase']) => {
    phase = next
  }
  return encode(await shrinkJson(text, (part) => fails(encode(part)), { event, onPhase }))
}

const jobs = {
  read(_: null, given: { readonly body: Uint8Array; readonly event: string | null }) {
    original = given.body
    text = textOfJson(original)
    event = given.event
    return (text === null ? 'bytes' : 'json') satisfies ShrinkRun['kind']
  },
  /** Starts the search (null), or continues it with the answer about the last body. */
  next(_: null, isFailing: boolean | null): Promise<ShrinkStep> {
    step = Promise.withResolvers()
    if (isFailing !== null) answerLast(isFailing)
    else
      search().then(
        (body) => step.resolve({ phase, body, isSmallest: true }),
        (error: unknown) => step.reject(error),
      )
    return step.promise
  },
  describe(_: null, smallest: Uint8Array): ShrinkDescription {
    const after = text === null ? null : textOfJson(smallest)
    return text === null || after === null
      ? { removed: original.length - smallest.length, fields: [] }
      : { removed: countNodes(text) - countNodes(after), fields: fieldsOf(after, event) }
  },
} as const

export type ShrinkJobs = typeof jobs

setUpThread(() => {
  lowerPriority(5)
  serveJobs({ tools: null, jobs, close: () => undefined })
})
