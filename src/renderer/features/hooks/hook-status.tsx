/** The status of a hook as icon, word and color, with the next step for one that needs attention. */
import {
  CircleCheck,
  CircleDashed,
  CircleSlash,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import type { Hook } from '../../../shared/model/hook.ts'

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

interface StatusLook {
  readonly word: string
  readonly tone: 'ok' | 'warn' | 'quiet'
  readonly meaning: string
}

export const statusLooks: Readonly<Record<Hook['status'], StatusLook>> = {
  active: { word: 'Active', tone: 'ok', meaning: 'Deliveries are expected here.' },
  deleted: {
    word: 'Deleted',
    tone: 'quiet',
    meaning: 'Record and secret are kept so old deliveries still verify.',
  },
  gone: {
    word: 'Gone',
    tone: 'warn',
    meaning: 'Deleted elsewhere: the service no longer has this hook.',
  },
  unconfirmed: {
    word: 'Unconfirmed',
    tone: 'warn',
    meaning: "The service didn't respond to the create request, so the hook may or may not exist.",
  },
}

/** The kind of hook, in words. */
export function kindWords(kind: Hook['kind']): string {
  if (kind === 'brand') return 'Brand hook'
  return kind === 'program' ? 'Program hook' : 'Registration not shown in the spec'
}

/** Record fields that a registration doesn't have (spec 2.1): undocumented ones. */
const registrationFields = ['event', 'url', 'programId', 'headers', 'offerId']

export function unknownFields(record: Hook['record']): readonly string[] {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return []
  return Object.keys(record).filter((name) => !registrationFields.includes(name))
}

/** Sort order: hooks that need attention, then active, then deleted; newest first. */
export function hooksInOrder(hooks: readonly Hook[]): readonly Hook[] {
  const rank = { unconfirmed: 0, gone: 0, active: 1, deleted: 2 } as const
  return hooks.toSorted(
    (a, b) => rank[a.status] - rank[b.status] || b.createdAt.localeCompare(a.createdAt),
  )
}
