/** Masks output: known secrets anywhere, and values of some headers. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import { createMask, type Mask } from '../../shared/text/mask.ts'
import { mapTexts } from '../../shared/text/map-texts.ts'
import { MASK } from '../../shared/text/masked-places.ts'
import { isCredentialHeader } from '../../shared/service/credential-headers.ts'
import { blockedHeaders } from '../../shared/service/header-rules.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { bodyStart, decompressAll, holdsSecret, maskedBody } from './masked-body.ts'

export interface Masking extends Pick<Mask, 'places' | 'text'> {
  texts<Value>(value: Value): Value
  headers(headers: RawHeaders): RawHeaders
  /** Masks credentials and repeated values; no hook sets response headers. */
  responseHeaders(headers: RawHeaders): [string, string][]
  /**
   * Masks a body; a compressed one that contains a secret is removed.
   * @param isCut - whether only the body's start was stored
   */
  body(body: Uint8Array, headers: RawHeaders, isCut?: boolean, most?: number): Promise<Uint8Array>
  /** Returns masking that also hides these headers' values where a message repeats them. */
  withValuesOf(headers: RawHeaders): Masking
}

export const withoutMasking: Masking = {
  ...createMask([]),
  texts: (value) => value,
  headers: (headers) => headers,
  responseHeaders: (headers) => [...headers],
  body: (body, _headers, _isCut, most) => Promise.resolve(bodyStart(body, most)),
  withValuesOf: () => withoutMasking,
}

/** Decides by its lower-case name whether a header is shown. */
type ShownNames = (name: string) => boolean

/** Shows only names that no hook can set (section 4.3). */
export function standardNames(prefixes: readonly string[]): ShownNames {
  const names = new Set(
    prefixes.flatMap((prefix) => [
      ...blockedHeaders(prefix),
      headerNames(prefix).messageId,
      headerNames(prefix).attemptNumber,
      'content-encoding',
    ]),
  )
  return (name) => names.has(name)
}

/** Shows all names except the hooks' own headers. */
export function unregisteredNames(hooks: Pick<Hooks, 'list'>): ShownNames {
  const names = new Set(
    hooks.list().flatMap(({ headers }) => Object.keys(headers).map((name) => name.toLowerCase())),
  )
  return (name) => !names.has(name)
}

/**
 * Creates masking.
 * @param secrets - hidden in our own words too
 */
export function createMasking(mask: Mask, isShownName: ShownNames, secrets = mask): Masking {
  const isShown = ([name, value]: readonly [string, string]) =>
    isShownName(name.toLowerCase()) && !isCredentialHeader(name, value)
  const maskHeaders = (headers: RawHeaders, isHidden: (header: RawHeaders[number]) => boolean) =>
    headers.map((header): [string, string] => [
      mask.text(header[0]),
      isHidden(header) ? MASK : mask.text(header[1]),
    ])
  const masking: Masking = {
    ...mask,
    texts: (value) => mapTexts(value, (text, isOurs) => (isOurs ? secrets : mask).text(text)),
    headers: (headers) => maskHeaders(headers, (header) => !isShown(header)),
    responseHeaders: (headers) => maskHeaders(headers, (header) => isCredentialHeader(...header)),
    async body(body, headers, isCut = false, most = body.length) {
      if (body.length === 0 || mask.finders.length === 0) return bodyStart(body, most)
      const { decoded, unread } = await decompressAll(body, contentEncodings(headers))
      if (unread !== null)
        return Buffer.from(`${MASK} It couldn't be searched for secrets. ${unread}`)
      if (decoded !== null && (await holdsSecret(decoded, mask))) return Buffer.from(MASK)
      return maskedBody(body, mask, isCut, most)
    },
    withValuesOf(headers) {
      const values = headers.flatMap((header) =>
        isShown(header) ? [] : [header[1], header[1].replace(/^(?:basic|bearer) +/i, '')],
      )
      return values.length === 0
        ? masking
        : createMasking(createMask(values, mask), isShownName, secrets)
    },
  }
  return masking
}
