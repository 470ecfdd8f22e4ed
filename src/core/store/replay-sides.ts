/**
 * Endpoints of a replay's sends. With two endpoints to compare, each delivery has two positions:
 * the first goes to the other endpoint, the second to the replay's own.
 */
import type { ReplaySettings } from '../../shared/model/send.ts'
import { columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

export type ReplaySide = 'own' | 'other'

interface SidedReplay {
  readonly id: string
  readonly settings: ReplaySettings
  readonly plan: { readonly targets: Readonly<Record<string, string>> }
  /** Number of sends at the start. */
  readonly total: number
}

/** Returns how many sends each delivery has. */
export function sidesOf({ settings }: Pick<SidedReplay, 'settings'>): 1 | 2 {
  return settings.comparison?.other == null ? 1 : 2
}

/**
 * Lists the positions that later ones than `total` repeat, in order: those of uncertain sends.
 * Empty if nothing is compared, or if none up to `last` repeats one, because it reads all sends.
 */
export function readRepeats(
  db: ReadableDb,
  { id, settings, total }: Pick<SidedReplay, 'id' | 'settings' | 'total'>,
  last: number,
): number[] {
  if (settings.comparison === null || last <= total) return []
  return columnStatement<number>(
    db,
    "SELECT position FROM sends WHERE job_id = ? AND state = 'uncertain' ORDER BY position",
  ).all(id)
}

/** Returns the position that a send repeats first, its own if it repeats none. */
export function originalPosition(
  { total }: Pick<SidedReplay, 'total'>,
  repeats: readonly number[],
  position: number,
): number {
  let origin = position
  while (origin > total) {
    const repeated = repeats[origin - total - 1]
    if (repeated === undefined || repeated >= origin) return origin
    origin = repeated
  }
  return origin
}

export function sideAt(replay: Pick<SidedReplay, 'settings'>, origin: number): ReplaySide {
  return sidesOf(replay) === 2 && origin % 2 === 1 ? 'other' : 'own'
}

/** Returns the target for a hook's deliveries, or null. */
function targetIn(
  { settings: { to }, plan: { targets } }: Pick<SidedReplay, 'settings' | 'plan'>,
  hookId: string | null,
): string | null {
  return to === null ? (targets[hookId ?? ''] ?? null) : new URL(to).href
}

/** Returns the endpoint of a send, by its side and its delivery's hook. */
export function endpointAt(
  replay: Pick<SidedReplay, 'settings' | 'plan'>,
  side: ReplaySide,
  hookId: string | null,
): { readonly target: string | null; readonly handlerId: string | null } {
  const other = side === 'other' ? replay.settings.comparison?.other : null
  return other == null
    ? { target: targetIn(replay, hookId), handlerId: replay.settings.handlerId }
    : { target: new URL(other.to).href, handlerId: other.handlerId }
}
