/**
 * Compares an environment's hooks with those that the service lists, as the spec doesn't show
 * (section 4.1). Nothing changes at the service.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Hook, HookSync, HookSyncInput, SyncedHook } from '../../shared/model/hook.ts'
import { chunks, createMutex } from '../base/async.ts'
import type { ApiClient } from '../service-api/api-client.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import type { Environments } from './environments.ts'
import type { Hooks } from './hooks.ts'
import { readList, type HookList } from './listed-hooks.ts'
import type { ServiceClients } from './service-clients.ts'
import { planSync } from './sync-steps.ts'

const MAX_HOOKS = 1_000
/**
 * Maximum number of hooks in all lists, because a hook may be in its program's and in the list of
 * all.
 */
const MAX_IN_ALL_LISTS = 2 * MAX_HOOKS
const MAX_PROGRAMS = 50
/** Number of changes to store in one turn of the event loop, which the receiver needs too. */
const CHANGES_PER_TURN = 10

interface HookSyncDeps {
  readonly hooks: Hooks
  readonly environments: Pick<Environments, 'get'>
  readonly clients: Pick<ServiceClients, 'of'>
}

/** Lists by program ID (null for hooks without a program); null if the service lacks the list. */
type HookLists = ReadonlyMap<string | null, HookList | null>

/** Requests the service's list of hooks without a program, and the list of each program. */
async function readLists(
  client: ApiClient,
  environment: StoredEnvironment,
  own: readonly Hook[],
): Promise<HookLists> {
  const programs = new Set(own.flatMap(({ programId }) => programId ?? []))
  const lists = new Map<string | null, HookList | null>()
  let remaining = MAX_IN_ALL_LISTS
  for (const programId of [null, ...[...programs].slice(0, MAX_PROGRAMS)]) {
    const list = await readList(client, programId, environment, Math.min(remaining, MAX_HOOKS))
    lists.set(programId, list)
    remaining -= list?.hooks.length ?? 0
  }
  return lists
}

function notesOn(lists: HookLists): string[] {
  return [...lists].flatMap(([programId, list]) => {
    if (list?.isWhole === true) return []
    const whose = programId === null ? 'hooks without a program' : `hooks of program ${programId}`
    const why = list === null ? "The service doesn't list" : "Couldn't read all"
    return [`${why} ${whose}, so none of them is marked as gone.`]
  })
}

/**
 * Imports new hooks, and marks missing ones as gone. Rejects with `SERVICE_REFUSED` or
 * `SERVICE_UNREACHABLE`, changing nothing.
 */
async function sync(
  { clients, environments, hooks }: HookSyncDeps,
  { dryRun, ...input }: HookSyncInput,
): Promise<HookSync> {
  const environment = environments.get(input.environment)
  const own = hooks.list(environment.name)
  const lists = await readLists(await clients.of(environment), environment, own)
  if ([...lists.values()].every((list) => list === null))
    throw new AppError(
      'SERVICE_REFUSED',
      'This service doesn\'t list hooks. Import each with its secret: "countersign hooks import", or "Import hook" in the window.',
    )
  const compared: SyncedHook[] = []
  for (const steps of chunks(planSync(hooks, own, lists), CHANGES_PER_TURN)) {
    const stored = steps.map(async ([hook, store]) => {
      const id = store === null || dryRun ? hook.id : (await store()).id
      return { ...hook, id, changes: store !== null }
    })
    compared.push(...(await Promise.all(stored)))
  }
  const changesFirst = compared.toSorted((a, b) => Number(b.changes) - Number(a.changes))
  return {
    environment: environment.name,
    applied: !dryRun,
    hooks: changesFirst,
    notes: notesOn(lists),
  }
}

/** Creates a function that synchronizes one environment at a time. */
export function createHookSync(deps: HookSyncDeps) {
  const exclusive = createMutex()
  return (input: HookSyncInput): Promise<HookSync> => exclusive(() => sync(deps, input))
}
