/** A request of a replay as a command for a shell that signs it when it is run. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { DEFAULT_PREFIX } from '../../../shared/service/header-names.ts'
import { replayCurl } from '../../../shared/snippets/replay-curl.ts'
import { shellWord } from '../../../shared/snippets/shell-word.ts'
import { SECRET_VARIABLE } from '../../../shared/snippets/snippet.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import { targetKind } from './target-kind.ts'

export const CURL_HINT = `It signs when it is run, with the secret in ${SECRET_VARIABLE}.`

export interface CurlSurroundings {
  readonly environments: readonly Environment[]
  readonly status: AppStatus | null
}

export interface CurlOptions {
  readonly state: CurlSurroundings
  /** The time that is signed; null for the moment when it is run. */
  readonly timestamp: string | null
  /** In clear; null takes it from the environment of the shell. */
  readonly secret: string | null
}

/** How curl is to take the certificate: our own authority's, or, on this machine, any. */
function certificateOptions(target: string, status: AppStatus | null): readonly string[] {
  if (!target.startsWith('https:')) return []
  const kind = targetKind(target, status?.receiver.url ?? null)
  if (kind === 'receiver' && status !== null) return [`--cacert ${shellWord(status.caFile)}`]
  return kind === 'here' ? ['--insecure'] : []
}

export function curlOf(preview: OutputOf<'replay.preview'>, { state, timestamp, secret }: CurlOptions): string {
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
    options: certificateOptions(target, state.status),
  })
}
