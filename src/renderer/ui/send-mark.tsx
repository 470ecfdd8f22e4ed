/** What came of a send, as a glyph and a word. */
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
import { saidOfSend, type SaidOfSend, type SendWord, type ToldSend } from '../../shared/model/send-words.ts'

const icons: Readonly<Record<SendWord, LucideIcon>> = {
  passes: CircleCheck,
  'still passing': CircleCheck,
  fixed: TrendingUp,
  fails: CircleX,
  'still failing': CircleX,
  regressed: TrendingDown,
  refused: ShieldCheck,
  'now refused': ShieldCheck,
  taken: ShieldX,
  'still taken': ShieldX,
  'now taken': ShieldX,
  waiting: Clock,
  'under way': CircleDashed,
  answered: CircleCheck,
  uncertain: TriangleAlert,
  'not sent': CircleSlash,
  cancelled: CircleSlash,
}

const looks: Readonly<Record<SaidOfSend['tone'], string>> = {
  good: 'text-ok',
  bad: 'text-bad',
  doubtful: 'text-warn',
  open: 'text-muted',
}

export function SendMark({ send }: { readonly send: ToldSend }) {
  const { word, tone } = saidOfSend(send)
  const Icon = icons[word]
  return (
    <span className={`inline-flex min-w-0 items-center gap-1.5 ${looks[tone]}`}>
      <Icon size={14} aria-hidden className="shrink-0" />
      <span className="truncate">{word.charAt(0).toUpperCase() + word.slice(1)}</span>
    </span>
  )
}
