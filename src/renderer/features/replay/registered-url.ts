/** The registered URL that deliveries have in common. */
import type { Hook } from '../../../shared/model/hook.ts'
import type { ReplaySource } from './replay-slice.ts'

/** Null where they are of several, or not all of a hook. */
export function registeredUrlOf(source: ReplaySource, hooks: readonly Hook[]): string | null {
  if (source.kind === 'query') return null
  const urls = new Set(source.rows.map(({ hookId }) => hooks.find(({ id }) => id === hookId)?.url ?? null))
  const [only] = urls
  return urls.size === 1 ? (only ?? null) : null
}

/** Whether what goes without an address of its own goes to several endpoints, or to how many is not known. */
export function hasSeveralEndpoints(source: ReplaySource, hooks: readonly Hook[]): boolean {
  return (source.kind === 'query' || source.rows.length > 1) && registeredUrlOf(source, hooks) === null
}
