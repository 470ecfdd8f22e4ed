/** A target as it is shown: what is kept of it, how it does, and what waits for it. */
import type { ForwardLight, ForwardTarget } from '../../shared/model/forward.ts'
import type { QueueCounts, StoredTarget } from '../store/forward-repo.ts'
import type { QueueState } from './target-state.ts'

const iso = (moment: number | null | undefined): string | null => (moment == null ? null : new Date(moment).toISOString())

function lightOf({ paused, settings }: StoredTarget, state: QueueState | null): ForwardLight {
  if (!settings.on) return 'off'
  return paused ? 'paused' : (state?.light ?? 'new')
}

export function shownTarget(
  target: StoredTarget,
  state: QueueState | null,
  counts: QueueCounts | undefined,
  withheld: number,
): ForwardTarget {
  const { id, createdAt, settings, paused, temporary } = target
  return {
    ...settings,
    id,
    createdAt: new Date(createdAt).toISOString(),
    paused,
    temporary,
    allowHosts: [...settings.allowHosts],
    liveEnvironments: [...settings.liveEnvironments],
    light: lightOf(target, state),
    problem: state?.problem ?? null,
    nextTryAt: paused ? null : iso(state?.nextTryAt),
    queue: { waiting: counts?.waiting ?? 0, underWay: counts?.underWay ?? 0, oldestAt: iso(counts?.oldestAt) },
    passed: state?.passed ?? 0,
    failed: state?.failed ?? 0,
    withheld,
    lastSentAt: iso(state?.lastSentAt),
  }
}
