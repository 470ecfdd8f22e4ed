/** Headers and body of a captured request with the user's edits, before it is signed. */
import { missingLiteral, withLiteral } from '../../shared/body/json-literals.ts'
import { utf8Text } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayEdits, Tamper } from '../../shared/model/send.ts'
import { headerProblem, isOfConnection } from '../../shared/http.ts'
import { headerNames } from '../../shared/service/header-rules.ts'

/** Each given name replaces the first header of that name and removes the rest; new names are appended. */
function withSet(headers: RawHeaders, set: RawHeaders): RawHeaders {
  if (set.length === 0) return headers
  const given = Map.groupBy(set, ([name]) => name.toLowerCase())
  const placed = new Set<string>()
  const changed = headers.flatMap((header): RawHeaders => {
    const name = header[0].toLowerCase()
    const put = given.get(name)
    if (put === undefined) return [header]
    if (placed.has(name)) return []
    placed.add(name)
    return put
  })
  return [...changed, ...set.filter(([name]) => !placed.has(name.toLowerCase()))]
}

/** The captured or replacement headers, without connection-specific ones. */
export function editedHeaders(
  captured: RawHeaders,
  { headers, setHeaders }: ReplayEdits,
): RawHeaders {
  return withSet(headers ?? captured, setHeaders).filter(([name]) => !isOfConnection(name))
}

const NEEDS_OWN_TIME: readonly (Tamper | null)[] = ['stale', 'future', 'no-timestamp']

/** Why a header set by the user wouldn't be sent as given; null if it would. Captured headers are replaced silently. */
function setInVain(
  name: string,
  { signature, timestamp }: ReplayEdits,
  prefixes: readonly string[],
): string | null {
  if (signature === 'keep') return null
  const isNamed = (of: 'signature' | 'timestamp') =>
    prefixes.some((prefix) => headerNames(prefix)[of] === name.toLowerCase())
  if (isNamed('signature'))
    return `${name} ${signature === 'drop' ? 'is omitted' : 'is re-computed'}, so your value wouldn't be sent. Remove the header, or keep the signature (--signature keep).`
  if (isNamed('timestamp') && timestamp === 'now')
    return `${name} is set when the request is sent, so your value wouldn't be sent. Remove the header, or keep the time (--timestamp original) or the signature (--signature keep).`
  return null
}

/** Throws `INVALID_INPUT` for values that can't be sent and for conflicting edits. `prefixes` are the header prefixes. */
export function checkEdits(
  edits: ReplayEdits,
  tamper: Tamper | null,
  prefixes: readonly string[],
): void {
  const { method, headers, setHeaders, signature, timestamp } = edits
  if (method !== null && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method))
    throw new AppError(
      'INVALID_INPUT',
      `"${method}" isn't a valid method. Use a single word, such as POST.`,
    )
  if (method?.toUpperCase() === 'CONNECT')
    throw new AppError('INVALID_INPUT', "CONNECT requests can't be replayed.")
  for (const [name, value] of [...(headers ?? []), ...setHeaders]) {
    const problem = headerProblem(name, value)
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
  }
  for (const [name] of setHeaders) {
    const problem = setInVain(name, edits, prefixes)
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
  }
  if (tamper !== null && signature !== 'recompute') {
    throw new AppError(
      'INVALID_INPUT',
      'Tampering needs a fresh signature, so that only one thing is wrong. Use either --tamper or a signature option.',
    )
  }
  if (NEEDS_OWN_TIME.includes(tamper) && timestamp === 'original')
    throw new AppError(
      'INVALID_INPUT',
      `Use either tampering with the time (${tamper}) or the captured time.`,
    )
}

/**
 * The body with JSON fields set to the values as typed and everything else unchanged. Throws `INVALID_INPUT` if the body isn't JSON
 * or lacks the field. `wasSent`: rebuilds a body that an earlier version sent, which added missing fields.
 */
export function editedBody(
  body: Uint8Array,
  { set }: Pick<ReplayEdits, 'set'>,
  { wasSent = false } = {},
): Uint8Array {
  if (set === undefined) return body
  let text = utf8Text(body, false)
  for (const [path, literal] of Object.entries(set)) {
    const problem = wasSent ? null : missingLiteral(text, path)
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
    text = text === null ? null : withLiteral(text, path, literal)
  }
  return text === null ? body : Buffer.from(text)
}
