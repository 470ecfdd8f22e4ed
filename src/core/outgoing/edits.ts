/** Headers and body of a captured request before it is signed: as captured, or with what was changed in their place. */
import { withLiteral } from '../../shared/body/json-literals.ts'
import { utf8Text } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayEdits } from '../../shared/model/replay-edits.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { headerProblem, isOfConnection } from '../../shared/http.ts'
import { headerNames } from '../../shared/service/header-names.ts'

/** Each name given takes the first place of its like, the others go; what has no like comes at the end. */
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

/** The captured headers or those in their place, without what is of one connection. */
export function editedHeaders(captured: RawHeaders, { headers, setHeaders }: ReplayEdits): RawHeaders {
  return withSet(headers ?? captured, setHeaders).filter(([name]) => !isOfConnection(name))
}

const NEEDS_OWN_TIME: readonly (Tamper | null)[] = ['stale', 'future', 'no-timestamp']

/** Why a header that is set by itself would not go as it was given; null where it does. Captured ones make way without a word. */
function setInVain(name: string, { signature, timestamp }: ReplayEdits, prefixes: readonly string[]): string | null {
  if (signature === 'keep') return null
  const isNamed = (of: 'signature' | 'timestamp') => prefixes.some((prefix) => headerNames(prefix)[of] === name.toLowerCase())
  if (isNamed('signature'))
    return `${name} ${signature === 'drop' ? 'is omitted' : 'is re-computed'}, so your value wouldn't be sent. Remove the header, or keep the signature (--signature keep).`
  if (isNamed('timestamp') && timestamp === 'now')
    return `${name} is set when the request is sent, so your value wouldn't be sent. Remove the header, or keep the time (--timestamp original) or the signature (--signature keep).`
  return null
}

/** Throws `INVALID_INPUT` for what cannot be sent, or for two things that exclude each other. `prefixes` are those of header names. */
export function checkEdits(edits: ReplayEdits, tamper: Tamper | null, prefixes: readonly string[]): void {
  const { method, headers, setHeaders, signature, timestamp } = edits
  if (method !== null && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method))
    throw new AppError('INVALID_INPUT', `"${method}" isn't a valid method. Use a single word, such as POST.`)
  if (method?.toUpperCase() === 'CONNECT') throw new AppError('INVALID_INPUT', "CONNECT requests can't be replayed.")
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
    throw new AppError('INVALID_INPUT', `Use either tampering with the time (${tamper}) or the captured time.`)
}

/** The body with fields of its JSON set: the values as they were typed, all else byte for byte. Throws `INVALID_INPUT` if the body is not JSON, or has no object for one of the fields. */
export function editedBody(body: Uint8Array, { set }: Pick<ReplayEdits, 'set'>): Uint8Array {
  if (set === undefined) return body
  let text = utf8Text(body, false)
  for (const [path, literal] of Object.entries(set)) {
    text = text === null ? null : withLiteral(text, path, literal)
    if (text === null)
      throw new AppError('INVALID_INPUT', `Couldn't set ${path}: the body is not JSON with an object there. Check the path.`)
  }
  return Buffer.from(text ?? '')
}
