/**
 * Compares an environment's hooks with those that the service lists, as the spec doesn't show
 * (section 4.1). Nothing changes at the service.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { Hook, HookSync, HookSyncInput, SyncedHook } from '../../shared/model/hook.ts'
import { registeredKindOf } from '../../shared/service/event-type.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import { chunks, createMutex } from '../base/async.ts'
import { NO_LIST, type ApiClient } from '../service-api/api-client.ts'
import { callText, type ApiAnswer } from '../service-api/exchange.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import type { Environments } from './environments.ts'
import type { ServiceClients } from './service-clients.ts'
import { modeWarnings, readHookSecret, remoteIdOf } from './hook-record.ts'
import type { Hooks, NewHook } from './hooks.ts'

const MOST_HOOKS = 1_000
/** A hook may be in its program's list and in the list of all. */
const MOST_IN_ALL_LISTS = 2 * MOST_HOOKS
const MOST_PROGRAMS = 50
/** Changes stored at once, in one turn of the receiver. */
const STORED_AT_ONCE = 10

const entrySchema = z.object({
  event: z.string().min(1).max(100),
  url: z.string().min(1).max(4_096),
  programId: z.string().nullish(),
  offerId: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
})
const MOST_ID = 1_000

type ListedHook = NewHook & { readonly problem: string | null }

/** Hooks of a list; a missing one may be gone only if it `isWhole`. */
interface HookList {
  readonly hooks: readonly ListedHook[]
  readonly isWhole: boolean
}

/** The change to store is null for none. */
type Step = readonly [Omit<SyncedHook, 'changes'>, (() => Promise<Hook>) | null]

function entriesIn(json: unknown): readonly unknown[] | null {
  if (Array.isArray(json)) return json
  const lists = Object.values(json ?? {}).filter((value) => Array.isArray(value))
  return lists.length === 1 ? (lists[0] as unknown[]) : null
}

/** Whether nothing beside the list points to further pages. */
function isComplete({ status, headers, json }: ApiAnswer, count: number): boolean {
  const otherValues = Array.isArray(json) ? [] : Object.values(json ?? {})
  return (
    status === 200 &&
    !headers.some(([name]) => name.toLowerCase() === 'link') &&
    otherValues.every((value) => Array.isArray(value) || value === count || !value)
  )
}

/** Returns null if an entry can't be read. */
function readEntry(
  answer: ApiAnswer,
  json: unknown,
  programId: string | null,
  environment: StoredEnvironment,
): ListedHook | null {
  const entry = entrySchema.safeParse(json).data
  if (entry === undefined) return null
  const { event, url, offerId = null } = entry
  const headers = entry.headers ?? {}
  const named = { event, url, programId: programId ?? entry.programId ?? null, offerId }
  const { secret, problem } = readHookSecret({ json })
  const record = answer.record(json, Object.values(headers))
  if (record === null && problem === null) return null
  const remoteId = remoteIdOf({ json }, named)
  if (remoteId !== null && remoteId.length > MOST_ID) return null
  const hook = { ...named, kind: registeredKindOf(event, named.programId), headers }
  const broken = checkHook(hook, { prefix: environment.prefix, siblings: [] })
  const problems = [
    ...modeWarnings({ json }, environment),
    ...broken.filter(({ rule }) => rule !== 'event-unknown'),
  ]
  return {
    ...hook,
    remoteId,
    secret,
    environment: environment.name,
    status: 'active',
    record,
    problem: problem ?? problems[0]?.message ?? null,
  }
}

/** Resolves with null if the service has no list. Rejects with `SERVICE_REFUSED`. */
async function readList(
  client: ApiClient,
  programId: string | null,
  environment: StoredEnvironment,
  most: number,
): Promise<HookList | null> {
  const answer = await client.listHooks(programId)
  if (NO_LIST.includes(answer.status)) return null
  const { status, sent, excess } = answer
  const entries = entriesIn(answer.json)
  if (entries === null || excess !== null || entries.length > most) {
    const what = excess ?? (entries === null ? 'no JSON list' : `more than ${most} hooks`)
    throw new AppError(
      'SERVICE_REFUSED',
      `Couldn't list the hooks: ${callText(sent)} returned ${what}. Nothing was changed. Import them with "countersign hooks import".`,
      { details: { status, body: answer.shown(), sent } },
    )
  }
  const hooks: ListedHook[] = []
  for (const entry of entries) {
    // Deliveries are received in between.
    await nextTurn()
    const hook = readEntry(answer, entry, programId, environment)
    if (hook !== null) hooks.push(hook)
  }
  return { hooks, isWhole: hooks.length === entries.length && isComplete(answer, entries.length) }
}

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

export function createHookSync({
  hooks,
  environments,
  clients,
}: {
  readonly hooks: Hooks
  readonly environments: Pick<Environments, 'get'>
  readonly clients: Pick<ServiceClients, 'of'>
}) {
  const exclusive = createMutex()

  function stepToImport({ problem, ...hook }: ListedHook): Step {
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

  function stepOfBoth(own: Hook, { secret, ...listed }: ListedHook): Step {
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

  function stepsOf(
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
      if (stored === undefined) return stepToImport(listed)
      left.delete(stored)
      return stepOfBoth(stored, listed)
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

  /**
   * Imports new hooks, and marks missing ones as gone. Rejects with `SERVICE_REFUSED` or
   * `SERVICE_UNREACHABLE`, changing nothing.
   */
  async function sync({ dryRun, ...input }: HookSyncInput): Promise<HookSync> {
    const environment = environments.get(input.environment)
    const own = hooks.list(environment.name)
    const programs = new Set(own.flatMap(({ programId }) => programId ?? []))
    const client = await clients.of(environment)
    const lists = new Map<string | null, HookList | null>()
    let left = MOST_IN_ALL_LISTS
    for (const programId of [null, ...[...programs].slice(0, MOST_PROGRAMS)]) {
      const list = await readList(client, programId, environment, Math.min(left, MOST_HOOKS))
      lists.set(programId, list)
      left -= list?.hooks.length ?? 0
    }
    if ([...lists.values()].every((list) => list === null))
      throw new AppError(
        'SERVICE_REFUSED',
        'This service doesn\'t list hooks. Import each with its secret: "countersign hooks import", or "Import hook" in the window.',
      )
    const compared: SyncedHook[] = []
    for (const steps of chunks(stepsOf(own, lists), STORED_AT_ONCE)) {
      const stored = steps.map(async ([hook, store]) => {
        const id = store === null || dryRun ? hook.id : (await store()).id
        return { ...hook, id, changes: store !== null }
      })
      compared.push(...(await Promise.all(stored)))
    }
    const notes = [...lists].flatMap(([programId, list]) => {
      if (list?.isWhole === true) return []
      const whose = programId === null ? 'hooks without a program' : `hooks of program ${programId}`
      const why = list === null ? "The service doesn't list" : "Couldn't read all"
      return [`${why} ${whose}, so none of them is marked as gone.`]
    })
    const changesFirst = compared.toSorted((a, b) => Number(b.changes) - Number(a.changes))
    return { environment: environment.name, applied: !dryRun, hooks: changesFirst, notes }
  }

  return (input: HookSyncInput): Promise<HookSync> => exclusive(() => sync(input))
}
