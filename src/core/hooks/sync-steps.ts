/** Steps of a synchronization: how each own hook differs from the listed one, and what to change. */
import type { Hook, SyncedHook } from '../../shared/model/hook.ts'
import type { Hooks } from './hooks.ts'
import type { HookList, ListedHook } from './listed-hooks.ts'

/** The change to store is null for none. */
type Step = readonly [Omit<SyncedHook, 'changes'>, (() => Promise<Hook>) | null]

function storedAs(listed: ListedHook, own: readonly Hook[]): Hook | undefined {
  const { remoteId, event, url, programId } = listed
  const isSame = (hook: Hook) =>
    hook.status !== 'deleted' &&
    (hook.remoteId === null || remoteId === null) &&
    (programId === null || hook.programId === null || hook.programId === programId) &&
    hook.event === event &&
    hook.url === url
  return (
    own.find((hook) => hook.remoteId !== null && hook.remoteId === remoteId) ?? own.find(isSame)
  )
}

function stepToImport(hooks: Hooks, { problem, ...hook }: ListedHook): Step {
  const { remoteId, event, url, programId, secret } = hook
  const note =
    problem !== null
      ? `Can't be imported: ${problem}`
      : secret === null
        ? 'The list doesn\'t show its secret. Add it after the import, with "countersign hooks rotate".'
        : null
  return [
    { state: 'new', id: null, remoteId, event, url, programId, note },
    problem === null ? () => hooks.record(hook) : null,
  ]
}

function stepOfBoth(hooks: Hooks, own: Hook, { secret, ...listed }: ListedHook): Step {
  const { event, url, programId } = listed
  const remoteId = own.remoteId ?? listed.remoteId
  const lacksSecret = own.secretHint === null && secret !== null
  const learns = own.status !== 'active' || own.remoteId !== remoteId || lacksSecret
  const isDeleted = own.status === 'deleted'
  const differs =
    own.url !== url || own.event !== event || (programId ?? own.programId) !== own.programId
  const notes = [
    isDeleted ? 'Deleted here, but not at the service.' : null,
    differs
      ? 'Stored here with other values, which "countersign hooks update" sends to the service.'
      : null,
    learns && !isDeleted ? 'Becomes active here, with what the list shows.' : null,
  ].filter((note) => note !== null)
  const learn = async () => {
    const changed = await hooks.change(own.id, { remoteId, status: 'active' })
    return lacksSecret ? hooks.rotate(own.id, secret) : changed
  }
  const note = notes.length === 0 ? null : notes.join(' ')
  const state = note === null ? 'here' : 'differs'
  return [
    { state, id: own.id, remoteId, event, url, programId, note },
    learns && !isDeleted ? learn : null,
  ]
}

/** Returns a step for each listed hook, then for each own hook that is gone. */
export function stepsOf(
  hooks: Hooks,
  own: readonly Hook[],
  lists: ReadonlyMap<string | null, HookList | null>,
): Step[] {
  const left = new Set(own)
  const byRemoteId = Map.groupBy(own, ({ remoteId }) => remoteId)
  const byUrl = Map.groupBy(own, ({ url }) => url)
  const likeOf = ({ remoteId, url }: ListedHook) =>
    [...(byRemoteId.get(remoteId) ?? []), ...(byUrl.get(url) ?? [])].filter((hook) =>
      left.has(hook),
    )
  const all = [...lists.values()].flatMap((list) => list?.hooks ?? [])
  const distinct = new Map(
    all.map((hook) => [
      hook.remoteId ?? JSON.stringify([hook.event, hook.url, hook.programId]),
      hook,
    ]),
  )
  const steps = [...distinct.values()].map((listed) => {
    const stored = storedAs(listed, likeOf(listed))
    if (stored === undefined) return stepToImport(hooks, listed)
    left.delete(stored)
    return stepOfBoth(hooks, stored, listed)
  })
  const gone = [...left].filter(
    ({ status, kind, programId }) =>
      (status === 'active' || status === 'unconfirmed') &&
      // The hooks of unknown programs weren't requested.
      (kind === 'brand' || programId !== null) &&
      lists.get(programId)?.isWhole === true,
  )
  return [
    ...steps,
    ...gone.map(({ id, remoteId, event, url, programId }): Step => [
      { state: 'gone', id, remoteId, event, url, programId, note: null },
      () => hooks.change(id, { status: 'gone' }),
    ]),
  ]
}
