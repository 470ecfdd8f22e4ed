/**
 * What came of a send, as a glyph and a word: whether the endpoint acknowledges it, and whether that has changed. Of one that is wrong
 * on purpose it is the other way round: to refuse it is right.
 */
import {
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  Clock,
  ShieldCheck,
  ShieldX,
  TrendingDown,
  TrendingUp,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import { isRightlyRefused, type Send, type SendOutcome, type SendState } from '../../shared/model/send.ts'

interface Look {
  readonly word: string
  readonly Icon: LucideIcon
  readonly look: string
}

const outcomes: Readonly<Record<SendOutcome, Look>> = {
  'first-pass': { word: 'Passes', Icon: CircleCheck, look: 'text-ok' },
  'still-passing': { word: 'Still passing', Icon: CircleCheck, look: 'text-ok' },
  fixed: { word: 'Fixed', Icon: TrendingUp, look: 'text-ok' },
  'first-fail': { word: 'Fails', Icon: CircleX, look: 'text-bad' },
  'still-failing': { word: 'Still failing', Icon: CircleX, look: 'text-bad' },
  regressed: { word: 'Regressed', Icon: TrendingDown, look: 'text-bad' },
}

const states: Readonly<Record<SendState, Look>> = {
  waiting: { word: 'Waiting', Icon: Clock, look: 'text-subtle' },
  'under-way': { word: 'Under way', Icon: CircleDashed, look: 'text-muted' },
  settled: { word: 'Answered', Icon: CircleCheck, look: 'text-muted' },
  uncertain: { word: 'Uncertain', Icon: TriangleAlert, look: 'text-warn' },
  'not-sent': { word: 'Not sent', Icon: CircleSlash, look: 'text-warn' },
  cancelled: { word: 'Cancelled', Icon: CircleSlash, look: 'text-subtle' },
}

const refused: Look = { word: 'Refused', Icon: ShieldCheck, look: 'text-ok' }
const taken: Look = { word: 'Taken', Icon: ShieldX, look: 'text-bad' }
const acknowledged: ReadonlySet<SendOutcome> = new Set(['first-pass', 'still-passing', 'fixed'])

type Told = Pick<Send, 'outcome' | 'state' | 'tamper' | 'edited' | 'status' | 'error'>

function lookOf(send: Told): Look {
  const { outcome, state, tamper } = send
  if (outcome === null) return states[state]
  if (isRightlyRefused(send)) return refused
  return tamper !== null && acknowledged.has(outcome) ? taken : outcomes[outcome]
}

/** `still failing`, for the middle of a sentence. */
export function outcomeWord(send: Told): string {
  return lookOf(send).word.toLowerCase()
}

export function SendMark({ send }: { readonly send: Told }) {
  const { word, Icon, look } = lookOf(send)
  return (
    <span className={`inline-flex min-w-0 items-center gap-1.5 ${look}`}>
      <Icon size={14} aria-hidden className="shrink-0" />
      <span className="truncate">{word}</span>
    </span>
  )
}
