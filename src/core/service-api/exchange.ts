/** One call of the service's API as it went: what was sent, with its secrets masked, and what came back, verbatim. */
import { AppError } from '../../shared/contract/errors.ts'
import type { SendFailure } from '../dispatch/send-failure.ts'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  /** The JSON that was sent, or null. */
  readonly body: unknown
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly text: string
  /** The answer as JSON; undefined where it is none. */
  readonly json: unknown
  readonly sent: SentRequest
}

const MASK = '••••'

/** Headers as they may be shown: the value of what authenticates is masked. */
export function maskHeaders(headers: SentRequest['headers'], secretNames: readonly string[]): SentRequest['headers'] {
  const secret = new Set(secretNames.map((name) => name.toLowerCase()))
  return headers.map(([name, value]) => [name, secret.has(name.toLowerCase()) ? `${value.slice(0, 3)}${MASK}` : value])
}

/** Property names whose values go to the vault and nowhere else. */
const SECRET_NAME = /^(secret_?key|client_?secret|access_?token|refresh_?token|id_?token|token|jwt)$/i

/** A value without its secrets: they are cut out at any depth, the rest stays as it is, unknown fields included. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET_NAME.test(name))
      .map(([name, inner]) => [name, withoutSecrets(inner)]),
  )
}

/** An answer's text as it may be shown and kept. */
export function shownText({ json, text }: Pick<ApiAnswer, 'json' | 'text'>): string {
  return json === undefined ? text : JSON.stringify(withoutSecrets(json))
}

/** The error of an answer that refuses: status, body and what was sent travel with it. */
export function refusal(answer: ApiAnswer, what: string): AppError {
  const shown = shownText(answer)
  return new AppError(
    'SERVICE_REFUSED',
    `The service refused ${what}: it answered ${answer.status}${shown === '' ? '' : ` with ${shown.slice(0, 500)}`}.`,
    {
      details: { status: answer.status, body: shown, sent: { ...answer.sent, body: withoutSecrets(answer.sent.body) } },
    },
  )
}

/** The error of a call that got no answer. A time-out has a code of its own: the call may have been carried out. */
export function unreachable(failure: SendFailure, sent: SentRequest, what: string): AppError {
  const details = { kind: failure.kind, sent: { ...sent, body: withoutSecrets(sent.body) } }
  return failure.kind === 'timeout'
    ? new AppError(
        'SERVICE_TIMEOUT',
        `The service did not answer ${what} in time. It may have been carried out all the same. ${failure.message}`,
        { details },
      )
    : new AppError('SERVICE_UNREACHABLE', `The service could not be reached for ${what}. ${failure.message}`, { details })
}
