/**
 * Reads the hook record in the service's response, and stores it without secrets. The spec only names `secretKey` (section 2.1), and not
 * its position, so the ID is searched at the usual places and the record is stored as received. Custom header values, which often
 * are credentials, are encrypted as one JSON text.
 */
import {
  findText,
  mapTexts,
  maskHeaderFields,
  objectsIn,
  secretTextsIn,
  type ApiAnswer,
  type FoundObject,
} from '../service-api/exchange.ts'
import { isUuid } from '../../shared/service/hook-rules.ts'
import { createMask } from '../../shared/text/masked.ts'
import type { SealedSecret } from '../base/deps.ts'
import type { StoredEnvironment, StoredHook } from '../store/hooks.ts'
import type { HookWarning } from './environment-rules.ts'
import type { Vault } from './vault.ts'

/** The hook's secret: `secretKey` at any depth. */
export function secretOf({ json }: Pick<ApiAnswer, 'json'>): string | null {
  return findText(json, ['secretKey'])
}

/** The record to store: unknown fields stay, secrets and custom header values are masked. */
export function recordOf(
  { record }: Pick<ApiAnswer, 'record'>,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (record === undefined) return null
  // Header values are masked wherever the record repeats them.
  return JSON.stringify(mapTexts(maskHeaderFields(record), createMask(Object.values(headers)).text))
}

/** Lower case, without dashes and underscores. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** Names that can only belong to the hook, and names that belong to the object around them. */
const ownNames = ['hookid', 'webhookid']
const anyNames = ['id', 'uuid', 'guid']
/** Other objects that have their own id. */
const otherObjects =
  /^(program|account|offer|brand|user|owner|client|customer|environment|request|meta|metadata|links?)s?$/
const otherIds =
  /^(program|account|offer|brand|user|owner|client|customer|environment|request|trace|correlation)(id|uuid)$/

/** The id under the first name that has one. A secret is never an id. */
function idUnder(
  { fields }: FoundObject,
  names: readonly string[],
  secrets: readonly unknown[],
): string | null {
  for (const wanted of names) {
    for (const [name, value] of Object.entries(fields)) {
      if (plain(name) !== wanted) continue
      if (typeof value === 'string' && value !== '' && !secrets.includes(value)) return value
      if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    }
  }
  return null
}

/** UUIDs of an object that don't belong to other objects by name and aren't known values of something else. */
function ownUuids({ fields }: FoundObject, others: readonly unknown[]): string[] {
  return Object.entries(fields)
    .filter(
      ([name, value]) => isUuid(value) && !otherIds.test(plain(name)) && !others.includes(value),
    )
    .map(([, value]) => String(value))
}

/**
 * The service's ID of the hook. In order: `hookId` or `webhookId` anywhere; `id`, `uuid` or `guid` (ignoring dashes, underscores
 * and case) of the object that repeats the URL or event, of the object with the secret, or of the topmost object that isn't a
 * program, account or the like; the only UUID that belongs to none of those. Null if none is found: then the hook can't be changed
 * here until its ID is entered.
 */
export function remoteIdOf(
  { json }: Pick<ApiAnswer, 'json'>,
  sent: Pick<StoredHook, 'url' | 'event' | 'programId' | 'offerId'>,
): string | null {
  const secrets = secretTextsIn(json)
  const objects = objectsIn(json).filter(({ under }) => !otherObjects.test(plain(under)))
  for (const object of objects) {
    const id = idUnder(object, ownNames, secrets)
    if (id !== null) return id
  }
  const repeats = objects.filter(({ fields }) =>
    Object.values(fields).some((value) => value === sent.url || value === sent.event),
  )
  const carries = objects.filter(({ fields }) => typeof fields['secretKey'] === 'string')
  for (const object of [...repeats, ...carries, ...objects]) {
    const id = idUnder(object, anyNames, secrets)
    if (id !== null) return id
  }
  const uuids = new Set(
    objects.flatMap((object) => ownUuids(object, [...secrets, sent.programId, sent.offerId])),
  )
  const [only, ...others] = uuids
  return others.length === 0 ? (only ?? null) : null
}

/** Warns about a response whose `live` contradicts the environment, because test and live never mix (section 5.1). */
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

/** Warns about fields missing in the response to a creation. */
export function incompleteWarnings(remoteId: string | null, secret: string | null): HookWarning[] {
  const missing: HookWarning[] = []
  if (secret === null) {
    missing.push({
      rule: 'secret-missing',
      section: '2.1',
      field: 'secretKey',
      message:
        'The response has no secretKey, so this hook\'s signatures can\'t be verified. Add the secret with "hooks rotate".',
    })
  }
  if (remoteId === null) {
    missing.push({
      rule: 'id-missing',
      section: '4.1',
      field: 'id',
      message:
        "The response has no hook ID, so this hook can't be changed or deleted here. The record shows the full response.",
    })
  }
  return missing
}

// Custom header values.

export type HookHeaders = Readonly<Record<string, string>>

/** Null if there are none. */
export async function sealHeaders(
  vault: Pick<Vault, 'seal'>,
  headers: HookHeaders,
): Promise<SealedSecret | null> {
  return Object.keys(headers).length === 0 ? null : vault.seal(JSON.stringify(headers))
}

/** Rejects with `SECRET_UNREADABLE` like the vault. */
export async function openHeaders(
  vault: Pick<Vault, 'open'>,
  sealed: SealedSecret,
): Promise<HookHeaders> {
  return JSON.parse(await vault.open(sealed)) as HookHeaders
}
