/** The status of a hook as icon, word and color. */
import {
  CircleCheck,
  CircleDashed,
  CircleSlash,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import type { Hook } from '../../../shared/model/hook.ts'
import { statusLooks } from './hook-status.ts'

const glyphs: Readonly<Record<Hook['status'], LucideIcon>> = {
  active: CircleCheck,
  deleted: CircleSlash,
  gone: TriangleAlert,
  unconfirmed: CircleDashed,
}
const colours = { ok: 'text-ok', warn: 'text-warn', quiet: 'text-muted' } as const

export function HookStatus({
  status,
  large = false,
}: {
  readonly status: Hook['status']
  readonly large?: boolean
}) {
  const { word, tone, meaning } = statusLooks[status]
  const Glyph = glyphs[status]
  return (
    <span
      title={meaning}
      className={`inline-flex shrink-0 items-center gap-1.5 ${colours[tone]} ${large ? 'text-title font-medium' : ''}`}
    >
      <Glyph size={large ? 18 : 14} aria-hidden className="shrink-0" />
      {word}
    </span>
  )
}
