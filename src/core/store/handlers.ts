/** Saved handlers. A deleted one keeps its row, so that its sends keep its name. */
import type { HandlerCheckRun } from '../../shared/model/handler.ts'
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withSecureDelete } from './commit-modes.ts'
import { tableOf } from './tables.ts'

export interface StoredHandler {
  readonly id: string
  readonly name: string
  readonly url: string
  /** URL in the form that a request has, by which sends are attributed. */
  readonly target: string
  readonly registeredUrl: string | null
  readonly hookId: string | null
  readonly secret: SealedSecret | null
  /** Prefix of header names; null for the current environment's. */
  readonly prefix: string | null
  readonly targetCa: string | null
  readonly isCurrent: boolean
  readonly checks: readonly HandlerCheckRun[]
  /** Milliseconds since the epoch, as is `removedAt`. */
  readonly createdAt: number
  readonly removedAt: number | null
}

const stored = tableOf<StoredHandler>('handlers', 'id', {
  secret: { form: 'sealed', column: 'secret' },
  isCurrent: { form: 'flag', column: 'is_current' },
  checks: { form: 'json', column: 'checks' },
})

export const listHandlers = (db: ReadableDb): StoredHandler[] =>
  stored.list(db, 'WHERE removed_at IS NULL ORDER BY seq')

export function putHandlers(db: WritableDb, handlers: readonly StoredHandler[]): void {
  withSecureDelete(db, () => {
    for (const handler of handlers) stored.put(db, handler)
  })
}

/** Returns SQL for a handler's seq by id, else by URL; null if it is unsaved. */
export const handlerSeq = (id: string, url: string) =>
  `coalesce((SELECT seq FROM handlers WHERE id = ${id}),
     (SELECT seq FROM handlers WHERE target = ${url} AND removed_at IS NULL ORDER BY is_current DESC, seq LIMIT 1))`
