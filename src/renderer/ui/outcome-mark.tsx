/** An outcome as a glyph and a word; the color only beside them. All three come from the one table (`outcomes.ts`). */
import {
  CircleCheck,
  CircleDashed,
  CircleDotDashed,
  CircleEqual,
  CircleQuestionMark,
  CircleSlash,
  CircleX,
  Inbox,
  ShieldCheck,
  ShieldX,
  TrendingDown,
  TrendingUp,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import { labelOf, type Glyph, type Outcome, type Tone } from '../../shared/model/outcomes.ts'

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

/** The glyph alone; `label` names it where no word stands beside it. */
export function OutcomeIcon({ outcome, size = 14, label }: { outcome: Outcome; size?: number; label?: string }) {
  const Icon = icons[outcome.glyph]
  const named = label === undefined ? ({ 'aria-hidden': true } as const) : ({ role: 'img', 'aria-label': label } as const)
  return <Icon size={size} strokeWidth={2} {...named} className={`shrink-0 ${toneText[outcome.tone]}`} />
}

/** `large` is for the heading of a detail. */
export function OutcomeMark({
  outcome,
  large = false,
  title,
}: {
  readonly outcome: Outcome
  readonly large?: boolean
  readonly title?: string
}) {
  return (
    <span
      title={title}
      data-tone={outcome.tone}
      className={`inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap ${toneText[outcome.tone]} ${large ? 'text-title font-medium' : outcome.tone === 'bad' ? 'font-medium' : ''}`}
    >
      <OutcomeIcon outcome={outcome} size={large ? 18 : 14} />
      <span className="truncate">{labelOf(outcome)}</span>
    </span>
  )
}
