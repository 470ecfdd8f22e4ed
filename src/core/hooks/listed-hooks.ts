/** Reads a service's list of hooks, whose format the spec doesn't show (section 4.1). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { registeredKindOf } from '../../shared/service/event-type.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import { NO_LIST_STATUSES, type ApiClient } from '../service-api/api-client.ts'
import { callText, type ApiAnswer } from '../service-api/exchange.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import { modeWarnings, readHookSecret, remoteIdOf } from './hook-record.ts'
import type { NewHook } from './hooks.ts'

const entrySchema = z.object({
  event: z.string().min(1).max(100),
  url: z.string().min(1).max(4_096),
  programId: z.string().nullish(),
  offerId: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
})
const MAX_ID_LENGTH = 1_000

export type ListedHook = NewHook & { readonly problem: string | null }

/** Hooks of a list; only if it `isWhole` does a missing hook count as gone. */
export interface HookList {
  readonly hooks: readonly ListedHook[]
  readonly isWhole: boolean
}

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

/** Reads an entry of the list; null if it can't be read. */
function readEntry(
  response: ApiAnswer,
  json: unknown,
  programId: string | null,
  environment: StoredEnvironment,
): ListedHook | null {
  const entry = entrySchema.safeParse(json).data
  if (entry === undefined) return null
  const { event, url, offerId = null } = entry
  const headers = entry.headers ?? {}
  const hookFields = { event, url, programId: programId ?? entry.programId ?? null, offerId }
  const { secret, problem } = readHookSecret({ json })
  const record = response.record(json, Object.values(headers))
  if (record === null && problem === null) return null
  const remoteId = remoteIdOf({ json }, hookFields)
  if (remoteId !== null && remoteId.length > MAX_ID_LENGTH) return null
  const hook = { ...hookFields, kind: registeredKindOf(event, hookFields.programId), headers }
  const findings = checkHook(hook, { prefix: environment.prefix, siblings: [] })
  const problems = [
    ...modeWarnings({ json }, environment),
    ...findings.filter(({ rule }) => rule !== 'event-unknown'),
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

/** Requests and reads a list; null if the service has no list. Rejects with `SERVICE_REFUSED`. */
export async function readList(
  client: ApiClient,
  programId: string | null,
  environment: StoredEnvironment,
  maxCount: number,
): Promise<HookList | null> {
  const response = await client.listHooks(programId)
  if (NO_LIST_STATUSES.includes(response.status)) return null
  const { status, sent, excess } = response
  const entries = entriesIn(response.json)
  if (entries === null || excess !== null || entries.length > maxCount) {
    const what = excess ?? (entries === null ? 'no JSON list' : `more than ${maxCount} hooks`)
    throw new AppError(
      'SERVICE_REFUSED',
      `Couldn't list the hooks: ${callText(sent)} returned ${what}. Nothing was changed. Import them with "countersign hooks import".`,
      { details: { status, body: response.shown(), sent } },
    )
  }
  const hooks: ListedHook[] = []
  for (const entry of entries) {
    // Deliveries are received in between.
    await nextTurn()
    const hook = readEntry(response, entry, programId, environment)
    if (hook !== null) hooks.push(hook)
  }
  return { hooks, isWhole: hooks.length === entries.length && isComplete(response, entries.length) }
}
