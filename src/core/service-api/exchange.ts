/** A record of one API call: the request with its secrets masked, and the response as received. */
import { AppError } from '../../shared/contract/errors.ts'
import { MASK } from '../../shared/text/masked.ts'
import type { SendFailure } from '../outgoing/wire/send-failure.ts'
import type { Connection } from './connection.ts'
import { withMaskedSecrets, type ReadBody } from './secrets-in-answers.ts'

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  /** The JSON sent, with secrets and custom header values masked; null without a body. */
  readonly body: unknown
}

export interface ApiAnswer extends ReadBody {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly sent: ApiRequest
}

/** Headers to show, with authentication values masked. */
export function maskHeaders(
  headers: ApiRequest['headers'],
  secretNames: readonly string[],
): ApiRequest['headers'] {
  const secret = new Set(secretNames.map((name) => name.toLowerCase()))
  return headers.map(([name, value]) => [
    name,
    secret.has(name.toLowerCase()) ? `${value.slice(0, 3)}${MASK}` : value,
  ])
}

/** A body to show. Custom header values often are the receiver's credentials, so they are masked too. */
export function maskBody(body: unknown, more: readonly string[] = []): unknown {
  if (typeof body !== 'object' || body === null) return body ?? null
  const { headers } = body as { headers?: unknown }
  const masked = withMaskedSecrets(body, more) as Record<string, unknown>
  if (typeof headers !== 'object' || headers === null) return masked
  return {
    ...masked,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])),
  }
}

/** The error of a rejected call, with its status, body and request. */
export function refusal({ status, shown, sent }: ApiAnswer, what: string): AppError {
  return new AppError(
    'SERVICE_REFUSED',
    `Couldn't ${what}: the service returned ${status}${shown === '' ? '' : ` with ${shown.trim().slice(0, 500)}`}.`,
    { details: { status, body: shown, sent } },
  )
}

/** After these failures the service may have processed the request. */
const uncertainKinds: readonly SendFailure['kind'][] = ['timeout', 'dropped']

/** What a call does, for error messages, and whether it changes anything. */
export interface Purpose {
  readonly what: string
  readonly changes: boolean
}

/**
 * The error of a call without a response. If the call may have changed something, its details say `uncertain`, and a timeout has
 * its own code.
 */
export function unreachable(
  failure: SendFailure,
  sent: ApiRequest,
  { what, changes }: Purpose,
  connection: Pick<Connection, 'proxy' | 'timeoutMs'>,
): AppError {
  const uncertain = changes && uncertainKinds.includes(failure.kind)
  const details = { kind: failure.kind, uncertain, sent }
  const why = reasonOf(failure, new URL(sent.url).host, connection)
  if (uncertain) {
    return new AppError(
      failure.kind === 'timeout' ? 'SERVICE_TIMEOUT' : 'SERVICE_UNREACHABLE',
      `The service got the request to ${what} but didn't respond: ${why} It may have processed the request.`,
      { details },
    )
  }
  return new AppError(
    'SERVICE_UNREACHABLE',
    `Couldn't ${what}: the service is unreachable. ${why}`,
    { details },
  )
}

/** `DELETE https://…`: the call that an error of this client is about; null for other errors. */
export function failedCall({ details }: AppError): string | null {
  const sent = (details as { sent?: ApiRequest } | null | undefined)?.sent
  return sent === undefined ? null : callText(sent)
}

export function callText({ method, url }: ApiRequest): string {
  return `${method} ${url}`
}

/** Why there was no response and what to do. Unlike a send's messages, these are for users of a service. */
function reasonOf(
  { kind, message, reason }: SendFailure,
  host: string,
  { proxy, timeoutMs }: Pick<Connection, 'proxy' | 'timeoutMs'>,
): string {
  // With a proxy, our only connection is to the proxy. It reports problems behind it in its response.
  const near = proxy === null ? host : `the proxy ${new URL(proxy).host}`
  const check =
    proxy === null ? 'Check the base URL.' : "Correct the environment's proxy, or remove it."
  switch (kind) {
    case 'refused':
      return `Connection refused at ${near}. ${check}`
    case 'unknown-host':
      return `Couldn't resolve the host name in ${near}. ${check.replace(/\.$/, '')}, or the network.`
    case 'timeout':
      return `${host} didn't respond within ${timeoutMs / 1_000} s.`
    case 'certificate':
      return `The certificate of ${host} isn't valid (${reason}). Set the CA that signed it as the environment's CA certificate.`
    default:
      return message
  }
}

/** Whether the failed call may have been processed. */
export function isUncertain(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    (error.details as { uncertain?: unknown } | null | undefined)?.uncertain === true
  )
}
