/** Makes the rows that undo a setup's changes. */
import { SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { Clock } from '../base/deps.ts'
import { CURRENT_ENVIRONMENT } from '../hooks/environments.ts'
import type { SetupRows } from '../store/setup-rows.ts'
import type { Store } from '../store/store.ts'
import type { SecretHolders } from './stored-secrets.ts'

interface ReplacedRowsDeps extends SecretHolders {
  readonly store: Pick<Store, 'read'>
  readonly clock: Clock
}

/** Splits keys of rows to store by whether they are stored already. */
function split<Row, Key>(rows: readonly Row[], present: readonly Row[], keyOf: (row: Row) => Key) {
  const keys = new Set(rows.map(keyOf))
  const replaced = present.filter((row) => keys.has(keyOf(row)))
  return { replaced, added: [...keys.difference(new Set(replaced.map(keyOf)))] }
}

/** Resolves with the rows that restore what the `next` ones replace. */
export async function replacedRows(deps: ReplacedRowsDeps, next: SetupRows): Promise<SetupRows> {
  const { environments: allEnvironments, hooks: allHooks, savedHandlers, store, clock } = deps
  const idOf = ({ id }: { readonly id: string }) => id
  const environments = split(next.environments, allEnvironments.all(), ({ name }) => name)
  const storedHooks = allHooks.list().map(({ id }) => allHooks.get(id))
  const hooks = split(next.hooks, storedHooks, idOf)
  const targets = split(next.targets, await store.read('forwardTargets', null), idOf)
  const removedAt = clock.now()
  const settings = []
  for (const { name } of next.settings)
    settings.push({ name, value: (await store.read('setting', name)) ?? initialValue(name) })
  return {
    environments: environments.replaced,
    hooks: hooks.replaced,
    handlers: next.handlers.map(
      (row) =>
        savedHandlers.rows().find(({ id }) => id === row.id) ?? {
          ...{ ...row, secret: null, isCurrent: false, removedAt },
        },
    ),
    targets: targets.replaced,
    settings,
    removed: { environments: environments.added, hooks: hooks.added, targets: targets.added },
  }
}

/** Returns the value of a setting that isn't stored. */
function initialValue(name: string): string {
  return name === CURRENT_ENVIRONMENT ? SANDBOX_TEST : ''
}
