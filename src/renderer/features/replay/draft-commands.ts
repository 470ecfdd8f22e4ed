/** A draft as a command to copy. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { DEFAULT_PREFIX } from '../../../shared/service/header-names.ts'
import { replayCurl } from '../../../shared/snippets/curl.ts'
import { curlCertificateOptions } from '../../../shared/snippets/curl-trust.ts'
import { shellArgument } from '../../../shared/snippets/shell-word.ts'
import { SECRET_VARIABLE } from '../../../shared/snippets/snippet.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { fromBase64 } from '../../core-data/bytes.ts'
import { bodyChanges } from './draft-changes.ts'
import { type Original, type Draft, requestOf, paceOf } from './draft.ts'

/** Returns the replay as a `countersign` command; null if no options express the changes. */
export function commandOf(draft: Draft, original: Original, id: string): string | null {
  const { edits, to, registeredUrl, hookId, tamper } = requestOf(draft, original)
  if (edits?.headers !== undefined) return null
  const places = bodyChanges(draft, original)
  if (places.some(({ at }) => at === null)) return null
  const pace = paceOf(draft)
  const options: readonly (readonly [
    name: string,
    value: string | number | null | undefined,
    fallback?: string | number,
  ])[] = [
    ['to', to],
    ['method', edits?.method],
    ...places.map(({ name, after }) => ['set', `${name}=${after ?? ''}`] as const),
    ['signature', edits?.signature, 'recompute'],
    ['timestamp', edits?.timestamp, 'now'],
    ['hook', hookId],
    ['registered-url', registeredUrl],
    ['tamper', tamper],
    ['repeat', pace?.repeat, 1],
    ['concurrency', pace?.concurrency, 1],
    ['rate', pace?.rate],
  ]
  const usedOptions = options.filter(
    ([, value, fallback]) => value !== null && value !== undefined && value !== fallback,
  )
  return [
    'countersign replay',
    id,
    ...usedOptions.map(([name, value]) => `--${name} ${shellArgument(String(value))}`),
  ].join(' ')
}

export const CURL_HINT = `Signs when run, using the secret in ${SECRET_VARIABLE}.`

interface CurlOptions {
  readonly state: {
    readonly environments: readonly Environment[]
    readonly status: AppStatus | null
  }
  /** Timestamp to sign; null for the time of running. */
  readonly timestamp: string | null
  /** Secret in plain text; null for the variable of the shell. */
  readonly secret: string | null
}

/** Returns a replay as a curl command that signs when run. */
export function curlOf(
  preview: OutputOf<'replay.preview'>,
  { state, timestamp, secret }: CurlOptions,
): string {
  const { target, method, headers, base64, signedUrl } = preview
  return replayCurl({
    target,
    method,
    headers,
    body: fromBase64(base64),
    signedUrl,
    timestamp,
    prefixes: [...new Set([DEFAULT_PREFIX, ...state.environments.map(({ prefix }) => prefix)])],
    secret,
    options: curlCertificateOptions(target, {
      receiver: state.status?.receiver.url ?? null,
      caFile: state.status?.caFile ?? null,
    }),
  })
}
