/** What a replay is of, in words. */
import type { ReplaySource } from './replay-slice.ts'

export function titleOf(source: ReplaySource): string {
  if (source.kind === 'query') return source.query === '' ? 'Replay all deliveries' : 'Replay what the filter finds'
  return source.rows.length === 1 ? 'Replay with changes' : `Replay ${source.rows.length.toLocaleString('en')} deliveries`
}

/** The question where to, of one delivery or several, of one hook or several; of a search neither number is known. */
export function whereWords(source: ReplaySource): { readonly title: string; readonly description: string } {
  const isOne = source.kind === 'rows' && source.rows.length === 1
  const isOfOneHook = source.kind === 'rows' && new Set(source.rows.map(({ hookId }) => hookId)).size === 1
  return {
    title: `Where to send ${isOne ? 'it' : 'them'}?`,
    description: `Later replays of ${isOfOneHook ? 'this hook' : 'these hooks'} go there at once.`,
  }
}
