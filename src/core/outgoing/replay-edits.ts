/** Headers and body of a captured request with the user's edits, before it is signed. */
import { utf8Text } from '../../shared/body/encoding.ts'
import { missingLiteral, withLiteral } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isOfConnection, headerProblem } from '../../shared/http.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayEdits, Tamper } from '../../shared/model/send.ts'
import { headerNames } from '../../shared/service/header-names.ts'

/** Replaces the first header of each name, removes the rest, and appends new names. */
export function withSet(headers: RawHeaders, set: RawHeaders): RawHeaders {
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

export function editedHeaders(
  captured: RawHeaders,
  { headers, setHeaders }: ReplayEdits,
): RawHeaders {
  return withSet(headers ?? captured, setHeaders).filter(([name]) => !isOfConnection(name))
}

const NEEDS_OWN_TIME: readonly (Tamper | null)[] = ['stale', 'future', 'no-timestamp']

/** Explains why a header wouldn't be sent as the user set it; null if it would. */
function unsentHeaderProblem(
  name: string,
  { signature, timestamp }: ReplayEdits,
  prefixes: readonly string[],
): string | null {
  if (signature === 'keep') return null
  const names = (of: 'signature' | 'timestamp') =>
    prefixes.some((prefix) => headerNames(prefix)[of] === name.toLowerCase())
  if (names('signature'))
    return `${name} ${signature === 'drop' ? 'is omitted' : 'is re-computed'}, so your value wouldn't be sent. Remove the header, or keep the signature (--signature keep).`
  if (names('timestamp') && timestamp === 'now')
    return `${name} is set when the request is sent, so your value wouldn't be sent. Remove the header, or keep the time (--timestamp original) or the signature (--signature keep).`
  return null
}

/** Throws `INVALID_INPUT` for values that can't be sent and for conflicting edits. */
export function checkEdits(
  edits: ReplayEdits,
  tamper: Tamper | null,
  prefixes: readonly string[],
): void {
  const { method, headers, setHeaders, signature, timestamp } = edits
  const problems = [
    // A token of RFC 9110.
    method !== null && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)
      ? `"${method}" isn't a valid method. Use a single word, such as POST.`
      : null,
    method?.toUpperCase() === 'CONNECT' ? "CONNECT requests can't be replayed." : null,
    ...[...(headers ?? []), ...setHeaders].map(([name, value]) => headerProblem(name, value)),
    ...setHeaders.map(([name]) => unsentHeaderProblem(name, edits, prefixes)),
    tamper !== null && signature !== 'recompute'
      ? 'Tampering needs a fresh signature, so that only one thing is wrong. Use either --tamper or a signature option.'
      : null,
    NEEDS_OWN_TIME.includes(tamper) && timestamp === 'original'
      ? `Use either tampering with the time (${tamper}) or the captured time.`
      : null,
  ]
  const first = problems.find((problem) => problem !== null)
  if (first !== undefined) throw new AppError('INVALID_INPUT', first)
}

/** Sets JSON fields as typed. Throws `INVALID_INPUT` if the body isn't JSON or lacks a field. */
export function editedBody(body: Uint8Array, { set }: Pick<ReplayEdits, 'set'>): Uint8Array {
  if (set === undefined) return body
  let text = utf8Text(body, false)
  for (const [path, literal] of Object.entries(set)) {
    const problem = missingLiteral(text, path)
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
    text = text === null ? null : withLiteral(text, path, literal)
  }
  return text === null ? body : Buffer.from(text)
}
