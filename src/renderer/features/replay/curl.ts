/** A replay as a curl command that signs when run. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { DEFAULT_PREFIX } from '../../../shared/service/header-rules.ts'
import { curlCertificateOptions, replayCurl } from '../../../shared/snippets/curl.ts'
import { SECRET_VARIABLE } from '../../../shared/snippets/snippet.ts'
import { fromBase64 } from '../../ui/bytes.ts'

export const CURL_HINT = `Signs when run, using the secret in ${SECRET_VARIABLE}.`

export interface CurlSurroundings {
  readonly environments: readonly Environment[]
  readonly status: AppStatus | null
}

export interface CurlOptions {
  readonly state: CurlSurroundings
  /** The timestamp to sign; null for the time of running. */
  readonly timestamp: string | null
  /** The secret in plain text; null reads it from the shell's environment. */
  readonly secret: string | null
}

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
