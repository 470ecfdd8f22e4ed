/** One call of the service's API as it went: what was sent, with its secrets masked, and what came back, verbatim. */
import { AppError } from '../../shared/contract/errors.ts'
import { MASK } from '../../shared/text/masked.ts'
import type { SendFailure } from '../outgoing/wire/send-failure.ts'
import type { Connection } from './connection.ts'
import { withMaskedSecrets, type ReadBody } from './secrets-in-answers.ts'

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  /** The JSON that was sent, its secrets and the values of custom headers masked; null where there was none. */
  readonly body: unknown
}

export interface ApiAnswer extends ReadBody {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly sent: ApiRequest
}

/** Headers as they may be shown: the value of what authenticates is masked. */
export function maskHeaders(headers: ApiRequest['headers'], secretNames: readonly string[]): ApiRequest['headers'] {
  const secret = new Set(secretNames.map((name) => name.toLowerCase()))
  return headers.map(([name, value]) => [name, secret.has(name.toLowerCase()) ? `${value.slice(0, 3)}${MASK}` : value])
}

/** A body as it may be shown. Custom headers often carry credentials of the receiver, so their values are masked too. */
export function maskBody(body: unknown, more: readonly string[] = []): unknown {
  if (typeof body !== 'object' || body === null) return body ?? null
  const { headers } = body as { headers?: unknown }
  const masked = withMaskedSecrets(body, more) as Record<string, unknown>
  if (typeof headers !== 'object' || headers === null) return masked
  return { ...masked, headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])) }
}

/** The error of an answer that refuses: status, body and what was sent travel with it. */
export function refusal({ status, shown, sent }: ApiAnswer, what: string): AppError {
  return new AppError(
    'SERVICE_REFUSED',
    `Couldn't ${what}: the service returned ${status}${shown === '' ? '' : ` with ${shown.trim().slice(0, 500)}`}.`,
    { details: { status, body: shown, sent } },
  )
}

/** Failures after which the service may have done what it was asked: the request was on its way. */
const uncertainKinds: readonly SendFailure['kind'][] = ['timeout', 'dropped']

/** What a call is for, in the words of its errors, and whether it changes anything. */
export interface Purpose {
  readonly what: string
  readonly changes: boolean
}

/**
 * The error of a call that got no answer. Where the call was to change something and may have done so, its details say
 * `uncertain`, and a time-out has a code of its own.
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
  return new AppError('SERVICE_UNREACHABLE', `Couldn't ${what}: the service is unreachable. ${why}`, { details })
}

/** Why no answer came, and what to do about it at a service: the sentences of a send are for those who run the endpoint. */
function reasonOf(
  { kind, message, reason }: SendFailure,
  host: string,
  { proxy, timeoutMs }: Pick<Connection, 'proxy' | 'timeoutMs'>,
): string {
  // Through a proxy the one connection that we make is to it: what stands behind it, it tells by its answer.
  const near = proxy === null ? host : `the proxy ${new URL(proxy).host}`
  const check = proxy === null ? 'Check the base URL.' : "Correct the environment's proxy, or remove it."
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

/** Whether the call that failed so may have been carried out. */
export function isUncertain(error: unknown): error is AppError {
  return error instanceof AppError && (error.details as { uncertain?: unknown } | null | undefined)?.uncertain === true
}
