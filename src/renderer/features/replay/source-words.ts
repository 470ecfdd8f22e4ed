/** What a replay is of, in words. */
import type { ReplaySource } from './replay-slice.ts'

export function titleOf(source: ReplaySource): string {
  if (source.kind === 'query') return source.query === '' ? 'Replay all deliveries' : 'Replay what the filter finds'
  return source.rows.length === 1 ? 'Replay with changes' : `Replay ${source.rows.length.toLocaleString('en')} deliveries`
}
