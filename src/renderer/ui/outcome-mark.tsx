/**
 * Marks of outcomes: a glyph and a word, colored by tone. All outcomes are listed in `outcomes.ts`.
 */
import {
  CircleCheck,
  CircleDashed,
  CircleDotDashed,
  CircleEqual,
  CircleQuestionMark,
  CircleSlash,
  CircleX,
  Inbox,
  Radio,
  ShieldCheck,
  ShieldX,
  TrendingDown,
  TrendingUp,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { Mode } from '../../shared/model/delivery.ts'
import { labelOf, type Glyph, type Outcome, type Tone } from '../../shared/model/outcomes.ts'
import { outcomeOfSend, type ShownSend } from '../../shared/model/send-outcomes.ts'
import { visibleText } from './visible-text.ts'

const icons: Readonly<Record<Glyph, LucideIcon>> = {
  pass: CircleCheck,
  fail: CircleX,
  warn: TriangleAlert,
  skip: CircleSlash,
  missing: CircleQuestionMark,
  unknown: CircleQuestionMark,
  fixed: TrendingUp,
  regressed: TrendingDown,
  rejected: ShieldCheck,
  accepted: ShieldX,
  recorded: Inbox,
  waiting: CircleDashed,
  running: CircleDotDashed,
  same: CircleEqual,
}

export const toneText: Readonly<Record<Tone, string>> = {
  good: 'text-ok',
  bad: 'text-bad',
  warn: 'text-warn',
  active: 'text-accent',
  neutral: 'text-muted',
}

/** Shows an outcome's glyph; `label` is its accessible name if no word is beside it. */
export function OutcomeIcon({
  outcome,
  size = 14,
  label,
}: {
  outcome: Outcome
  size?: number
  label?: string
}) {
  const Icon = icons[outcome.glyph]
  const named =
    label === undefined
      ? ({ 'aria-hidden': true } as const)
      : ({ role: 'img', 'aria-label': label } as const)
  return (
    <Icon size={size} strokeWidth={2} {...named} className={`shrink-0 ${toneText[outcome.tone]}`} />
  )
}

/** Shows an outcome's glyph and word; `large` in the heading of a detail pane. */
export function OutcomeMark({
  outcome,
  large = false,
  icon,
}: {
  readonly outcome: Outcome
  readonly large?: boolean
  readonly icon?: ReactNode
}) {
  return (
    <span
      data-tone={outcome.tone}
      className={`inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap ${toneText[outcome.tone]} ${large ? 'text-title font-medium' : outcome.tone === 'bad' ? 'font-medium' : ''}`}
    >
      {icon || <OutcomeIcon outcome={outcome} size={large ? 18 : 14} />}
      <span className="truncate">{labelOf(outcome)}</span>
    </span>
  )
}

export function SendMark({ send }: { readonly send: ShownSend }) {
  return <OutcomeMark outcome={outcomeOfSend(send)} />
}

export function ModeMark({ mode }: { readonly mode: Mode }) {
  if (mode === 'test') return <span className="shrink-0 text-small text-subtle">test</span>
  return (
    <span className="inline-flex h-[18px] shrink-0 items-center gap-1 rounded-small border border-warn px-1 text-tiny font-medium text-warn">
      <Radio size={11} />
      live
    </span>
  )
}

export function EnvironmentName({ name, mode }: { readonly name: string; readonly mode: Mode }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <span className="truncate" title={visibleText(name)}>
        {visibleText(name)}
      </span>
      <ModeMark mode={mode} />
    </span>
  )
}
