/**
 * Steps of a synchronization: differences of the own hooks from the listed ones, and their changes.
 */
import type { Hook, SyncedHook } from '../../shared/model/hook.ts'
import type { Hooks } from './hooks.ts'
import type { HookList, ListedHook } from './listed-hooks.ts'

/** Compared hook with the change to store; null for none. */
type Step = readonly [Omit<SyncedHook, 'changes'>, (() => Promise<Hook>) | null]

function storedHookOf(listed: ListedHook, own: readonly Hook[]): Hook | undefined {
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

function stepToUpdate(hooks: Hooks, own: Hook, { secret, ...listed }: ListedHook): Step {
  const { event, url, programId } = listed
  const remoteId = own.remoteId ?? listed.remoteId
  const lacksSecret = own.secretHint === null && secret !== null
  const hasNews = own.status !== 'active' || own.remoteId !== remoteId || lacksSecret
  const isDeleted = own.status === 'deleted'
  const differs =
    own.url !== url || own.event !== event || (programId ?? own.programId) !== own.programId
  const notes = [
    isDeleted ? 'Deleted here, but not at the service.' : null,
    differs
      ? 'Stored here with other values, which "countersign hooks update" sends to the service.'
      : null,
    hasNews && !isDeleted ? 'Becomes active here, with what the list shows.' : null,
  ].filter((note) => note !== null)
  const storeNews = async () => {
    const changed = await hooks.change(own.id, { remoteId, status: 'active' })
    return lacksSecret ? hooks.rotate(own.id, secret) : changed
  }
  const note = notes.length === 0 ? null : notes.join(' ')
  const state = note === null ? 'here' : 'differs'
  return [
    { state, id: own.id, remoteId, event, url, programId, note },
    hasNews && !isDeleted ? storeNews : null,
  ]
}

/** Returns a step for each listed hook, then for each own hook that is gone. */
export function planSync(
  hooks: Hooks,
  own: readonly Hook[],
  lists: ReadonlyMap<string | null, HookList | null>,
): Step[] {
  const unlisted = new Set(own)
  const byRemoteId = Map.groupBy(own, ({ remoteId }) => remoteId)
  const byUrl = Map.groupBy(own, ({ url }) => url)
  const candidatesFor = ({ remoteId, url }: ListedHook) =>
    [...(byRemoteId.get(remoteId) ?? []), ...(byUrl.get(url) ?? [])].filter((hook) =>
      unlisted.has(hook),
    )
  const all = [...lists.values()].flatMap((list) => list?.hooks ?? [])
  const distinct = new Map(
    all.map((hook) => [
      hook.remoteId ?? JSON.stringify([hook.event, hook.url, hook.programId]),
      hook,
    ]),
  )
  const steps = [...distinct.values()].map((listed) => {
    const stored = storedHookOf(listed, candidatesFor(listed))
    if (stored === undefined) return stepToImport(hooks, listed)
    unlisted.delete(stored)
    return stepToUpdate(hooks, stored, listed)
  })
  const gone = [...unlisted].filter(
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
