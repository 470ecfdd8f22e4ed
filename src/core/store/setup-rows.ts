/** Rows of a setup, which one transaction stores and another one undoes. */
import { withSecureDelete } from './commit-modes.ts'
import type { WritableDb } from './database.ts'
import { deleteEnvironment, putEnvironment, type StoredEnvironment } from './environments.ts'
import { putTarget, removeTarget, type StoredTarget } from './forward-targets.ts'
import { putHandlers, type StoredHandler } from './handlers.ts'
import { deleteHook, putHook, type StoredHook } from './hooks.ts'
import { writeSetting } from './settings.ts'

export interface SetupRows {
  readonly environments: readonly StoredEnvironment[]
  /** Hooks with exactly these secrets. */
  readonly hooks: readonly StoredHook[]
  readonly handlers: readonly StoredHandler[]
  readonly targets: readonly StoredTarget[]
  readonly settings: readonly { readonly name: string; readonly value: string }[]
  readonly removed: {
    readonly environments: readonly string[]
    readonly hooks: readonly string[]
    readonly targets: readonly string[]
  }
}

const REMOVED_REASON = 'The target was removed with the setup that added it.'

export function putSetup(db: WritableDb, rows: SetupRows): void {
  const { environments, hooks, handlers, targets, settings, removed } = rows
  withSecureDelete(db, () => {
    for (const environment of environments) putEnvironment(db, environment)
    for (const hook of hooks) putHook(db, hook)
    putHandlers(db, handlers)
    for (const target of targets) putTarget(db, target)
    for (const setting of settings) writeSetting(db, setting)
    for (const id of removed.targets) removeTarget(db, { id, reason: REMOVED_REASON })
    for (const id of removed.hooks) deleteHook(db, id)
    for (const name of removed.environments) deleteEnvironment(db, name)
  })
}
