/** Facts of a hook: status as icon, word and color, kind, and recent deliveries. */
import {
  CircleCheck,
  CircleDashed,
  CircleSlash,
  ShieldCheck,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { FLOW_HOOK, type Hook } from '../../../shared/model/hook.ts'
import { useRead } from '../../core-data/use-read.ts'
import { remoteHostOf } from '../../../shared/service/hook-rules.ts'
import { acknowledgementRule, isAcknowledged } from '../../core-data/environments.ts'
import { useApp } from '../../ui-state/use-app.ts'

interface StatusStyle {
  readonly word: string
  readonly color: string
  readonly Glyph: LucideIcon
  readonly meaning: string
}

export const statusStyles: Readonly<Record<Hook['status'] | 'verifies', StatusStyle>> = {
  active: {
    word: 'Active',
    color: 'text-ok',
    Glyph: CircleCheck,
    meaning: 'Deliveries are expected here.',
  },
  verifies: {
    word: 'Verifies only',
    color: 'text-muted',
    Glyph: ShieldCheck,
    meaning: 'On a remote host: the sandbox delivers there only if you allow it.',
  },
  deleted: {
    word: 'Deleted',
    color: 'text-muted',
    Glyph: CircleSlash,
    meaning: 'Record and secret are kept so old deliveries still verify.',
  },
  gone: {
    word: 'Gone',
    color: 'text-warn',
    Glyph: TriangleAlert,
    meaning: 'Deleted elsewhere: the service no longer has this hook.',
  },
  unconfirmed: {
    word: 'Unconfirmed',
    color: 'text-warn',
    Glyph: CircleDashed,
    meaning: "The service didn't respond to the create request, so the hook may or may not exist.",
  },
}

export function useVerifiesOnly(hook: Hook): boolean {
  const publicUrl = useApp(({ core }) => core.status?.receiver.publicUrl ?? null)
  return remoteHostOf(hook, publicUrl) !== null
}

export function HookStatus({
  hook,
  large = false,
}: {
  readonly hook: Hook
  readonly large?: boolean
}) {
  const style = useVerifiesOnly(hook) ? 'verifies' : hook.status
  const { word, color, Glyph, meaning } = statusStyles[style]
  return (
    <span
      title={meaning}
      className={`flex shrink-0 items-center gap-1.5 ${color} ${large ? 'text-title font-medium' : ''}`}
    >
      <Glyph size={large ? 18 : 14} className="shrink-0" />
      {/* A narrow list shows the icon only. */}
      <span className={large ? '' : '@max-[480px]:sr-only'}>{word}</span>
    </span>
  )
}

export function kindWords(kind: Hook['kind']): string {
  if (kind === 'brand') return 'Brand hook'
  return kind === 'program' ? 'Program hook' : 'Registration not shown in the spec'
}

/** Fields that a registration documents (spec 2.1); others are undocumented. */
const registrationFields = ['event', 'url', 'programId', 'headers', 'offerId']

export function unknownFields(record: Hook['record']): readonly string[] {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return []
  return Object.keys(record).filter((name) => !registrationFields.includes(name))
}

/** Groups of hooks that are listed only if asked for. */
export type HiddenHooks = 'deleted' | 'flows'

/** Returns the group of a hidden hook; null for one that is always listed. */
export function hiddenGroupOf({
  status,
  remoteId,
}: Pick<Hook, 'status' | 'remoteId'>): HiddenHooks | null {
  if (remoteId === FLOW_HOOK) return 'flows'
  return status === 'deleted' ? 'deleted' : null
}

/** Sorts hooks: those that need attention, then active, then deleted; newest first. */
export function hooksInOrder(hooks: readonly Hook[]): readonly Hook[] {
  const rank = { unconfirmed: 0, gone: 0, active: 1, deleted: 2 } as const
  return hooks.toSorted(
    (a, b) => rank[a.status] - rank[b.status] || b.createdAt.localeCompare(a.createdAt),
  )
}

/** Returns the hook in the address, else the first that is always listed; dialogs act on it. */
export function useSelectedHook(): Hook | null {
  return useApp(({ core: { hooks }, navigation: { at } }) => {
    const inOrder = hooksInOrder(hooks)
    const first = inOrder.find((hook) => hiddenGroupOf(hook) === null)
    return inOrder.find(({ id }) => id === at.hooks.id) ?? first ?? null
  })
}

/** Deliveries read per event, newest first. */
const DELIVERIES_READ = 200

interface HookActivity {
  /** Newest first. */
  readonly deliveries: readonly DeliveryRow[]
  /** Number of answered deliveries that were not acknowledged. */
  readonly failed: number
  readonly answered: number
}

export const noActivity: HookActivity = { deliveries: [], failed: 0, answered: 0 }

export function activityOf(
  hook: Pick<Hook, 'id' | 'environment'>,
  rows: readonly DeliveryRow[],
  environments: readonly Pick<Environment, 'name' | 'ack'>[],
): HookActivity {
  const rule = acknowledgementRule(environments, hook.environment)
  const deliveries = rows.filter((row) => row.hookId === hook.id)
  const outcomes = deliveries
    .map((row) => isAcknowledged(row.answer, rule))
    .filter((outcome) => outcome !== null)
  return {
    deliveries,
    failed: outcomes.filter((outcome) => !outcome).length,
    answered: outcomes.length,
  }
}

/** Returns a query for the deliveries of one event; escapes any character in its name. */
export function queryOfEvent(event: string): string {
  return `event:"${event.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Returns `3 of 12`, or null if nothing was answered. */
export function failureCount({ failed, answered }: HookActivity): string | null {
  return answered === 0 ? null : `${failed} of ${answered}`
}

/**
 * Reads the recent deliveries of a hook; null until they are loaded, with a `problem` if that
 * fails.
 */
export function useHookActivity(hook: Hook) {
  const { output, problem } = useRead('deliveries.page', {
    query: queryOfEvent(hook.event),
    limit: DELIVERIES_READ,
  })
  const environments = useApp((state) => state.core.environments)
  const activity = output === undefined ? null : activityOf(hook, output.rows, environments)
  return { activity, problem }
}
