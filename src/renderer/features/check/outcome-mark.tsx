/** How an outcome looks and reads: always a glyph and a word, the colour only beside them. */
import { CircleCheck, CircleDashed, CircleQuestionMark, CircleSlash, CircleX, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { CheckResult } from '../../../shared/model/check.ts'

type Shown = CheckResult['outcome'] | 'warn' | 'unjudged' | 'waiting'

const looks: Readonly<Record<Shown, { readonly word: string; readonly tone: string; readonly Icon: LucideIcon }>> = {
  pass: { word: 'Passed', tone: 'text-ok', Icon: CircleCheck },
  fail: { word: 'Failed', tone: 'text-bad', Icon: CircleX },
  warn: { word: 'Passed, slowly', tone: 'text-warn', Icon: TriangleAlert },
  skip: { word: 'Skipped', tone: 'text-subtle', Icon: CircleSlash },
  unjudged: { word: 'Not judged', tone: 'text-subtle', Icon: CircleQuestionMark },
  waiting: { word: 'Waiting', tone: 'text-subtle', Icon: CircleDashed },
}

/** What was skipped was not sent, or its answer proves nothing. */
export function shownOutcome(result: Pick<CheckResult, 'outcome' | 'warning' | 'exchanges'> | null): Shown {
  if (result === null) return 'waiting'
  if (result.outcome === 'skip' && result.exchanges.length > 0) return 'unjudged'
  return result.outcome === 'pass' && result.warning !== null ? 'warn' : result.outcome
}

/** `large` is for the detail's heading. */
export function OutcomeMark({ outcome, large = false }: { readonly outcome: Shown; readonly large?: boolean }) {
  const { word, tone, Icon } = looks[outcome]
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap ${tone} ${large ? 'text-title font-medium' : outcome === 'fail' ? 'font-medium' : ''}`}
    >
      <Icon size={large ? 18 : 14} strokeWidth={2} aria-hidden className="shrink-0" />
      {word}
    </span>
  )
}
