/**
 * Reads the hook record in the service's response. The spec names `secretKey` (section 2.1) but not
 * its position, so the ID is searched at the usual places.
 */
import {
  findText,
  objectsIn,
  secretTextsIn,
  type ApiAnswer,
  type FoundObject,
} from '../service-api/exchange.ts'
import { isUuid } from '../../shared/service/hook-rules.ts'
import { counted } from '../../shared/text/english.ts'
import type { SealedSecret } from '../base/deps.ts'
import type { StoredHook } from '../store/hooks.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import type { HookWarning } from './public-urls.ts'
import type { Vault } from './vault.ts'

const MAX_SECRET_LENGTH = 1_000

/** Finds `secretKey` at any depth; null without one, or with a `problem` if it is too long. */
export function readHookSecret({ json }: Pick<ApiAnswer, 'json'>): {
  readonly secret: string | null
  readonly problem: string | null
} {
  const secret = findText(json, ['secretKey'])
  if (secret === null || secret.length <= MAX_SECRET_LENGTH) return { secret, problem: null }
  const [length, most] = [secret.length, MAX_SECRET_LENGTH].map((count) =>
    counted(count, 'character'),
  )
  const problem = `Its secretKey has ${length}, but a secret has at most ${most}. Correct it at the service.`
  return { secret: null, problem }
}

function normalizedName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** Names of a hook's ID, and names of the ID of any object. */
const hookIdNames = ['hookid', 'webhookid']
const generalIdNames = ['id', 'uuid', 'guid']
const otherObjects =
  /^(program|account|offer|brand|user|owner|client|customer|environment|request|meta|metadata|links?)s?$/
const otherIds =
  /^(program|account|offer|brand|user|owner|client|customer|environment|request|trace|correlation)(id|uuid)$/

function idUnder(
  { fields }: FoundObject,
  names: readonly string[],
  others: ReadonlySet<unknown>,
): string | null {
  const ids = Object.entries(fields).flatMap(([name, value]) => {
    const rank = names.indexOf(normalizedName(name))
    const isId =
      typeof value === 'string' ? value !== '' && !others.has(value) : Number.isSafeInteger(value)
    return rank !== -1 && isId ? [{ rank, id: String(value) }] : []
  })
  return ids.toSorted((one, other) => one.rank - other.rank)[0]?.id ?? null
}

function ownUuids({ fields }: FoundObject, others: ReadonlySet<unknown>): string[] {
  return Object.entries(fields)
    .filter(
      ([name, value]) =>
        isUuid(value) && !otherIds.test(normalizedName(name)) && !others.has(value),
    )
    .map(([, value]) => String(value))
}

/**
 * Finds the service's ID of the hook. In order: `hookId` or `webhookId` anywhere; `id`, `uuid` or
 * `guid` of the object that repeats the URL or event, that has the secret, or that is topmost; the
 * only other UUID.
 */
export function remoteIdOf(
  { json }: Pick<ApiAnswer, 'json'>,
  sent: Pick<StoredHook, 'url' | 'event' | 'programId' | 'offerId'>,
): string | null {
  const secrets = new Set<unknown>(secretTextsIn(json))
  const objects = objectsIn(json).filter(({ under }) => !otherObjects.test(normalizedName(under)))
  for (const object of objects) {
    const id = idUnder(object, hookIdNames, secrets)
    if (id !== null) return id
  }
  const objectsWithSentValues = objects.filter(({ fields }) =>
    Object.values(fields).some((value) => value === sent.url || value === sent.event),
  )
  const objectsWithSecret = objects.filter(({ fields }) => typeof fields['secretKey'] === 'string')
  for (const object of new Set([...objectsWithSentValues, ...objectsWithSecret, ...objects])) {
    const id = idUnder(object, generalIdNames, secrets)
    if (id !== null) return id
  }
  const others = secrets.add(sent.programId).add(sent.offerId)
  const uuids = new Set(objects.flatMap((object) => ownUuids(object, others)))
  const [only = null] = uuids
  return uuids.size === 1 ? only : null
}

/** Warns if `live` contradicts the environment (section 5.1). */
export function modeWarnings(
  { json }: Pick<ApiAnswer, 'json'>,
  environment: StoredEnvironment,
): HookWarning[] {
  const live = objectsIn(json)
    .map(({ fields }) => fields['live'])
    .find((value) => typeof value === 'boolean')
  if (live === undefined || live === (environment.mode === 'live')) return []
  return [
    {
      rule: 'mode-mismatch',
      section: '5.1',
      field: 'environment',
      message: `The service returned ${live ? 'a live' : 'a test'} hook, but ${environment.name} is a ${environment.mode} environment. Check its key.`,
    },
  ]
}

export function secretWarnings(response: Pick<ApiAnswer, 'json'>): HookWarning[] {
  const { problem } = readHookSecret(response)
  if (problem === null) return []
  return [{ rule: 'secret-length', section: '2.1', field: 'secretKey', message: problem }]
}

export function incompleteWarnings(
  response: Pick<ApiAnswer, 'json' | 'excess'>,
  remoteId: string | null,
): HookWarning[] {
  const { secret, problem } = readHookSecret(response)
  const why = response.excess === null ? null : `The service returned ${response.excess}.`
  const warnings = secretWarnings(response)
  if (secret === null && problem === null) {
    warnings.push({
      rule: 'secret-missing',
      section: '2.1',
      field: 'secretKey',
      message: `${why ?? "The response has no secretKey, so this hook's signatures can't be verified."} Add the secret with "hooks rotate".`,
    })
  }
  if (remoteId === null) {
    warnings.push({
      rule: 'id-missing',
      section: '4.1',
      field: 'id',
      message:
        why === null
          ? "The response has no hook ID, so this hook can't be changed or deleted here. The record shows the full response."
          : `${why} Without its ID, this hook can't be changed or deleted here.`,
    })
  }
  return warnings
}

export type HookHeaders = Readonly<Record<string, string>>

/** Encrypts header values, which often are credentials; null without headers. */
export async function sealHeaders(
  vault: Pick<Vault, 'seal'>,
  headers: HookHeaders,
): Promise<SealedSecret | null> {
  return Object.keys(headers).length === 0 ? null : vault.seal(JSON.stringify(headers))
}

/** Decrypts header values. Rejects with `SECRET_UNREADABLE`. */
export async function openHeaders(
  vault: Pick<Vault, 'open'>,
  sealed: SealedSecret,
): Promise<HookHeaders> {
  return JSON.parse(await vault.open(sealed)) as HookHeaders
}
