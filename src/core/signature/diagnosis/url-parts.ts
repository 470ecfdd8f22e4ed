/** Parts of a URL as written, which no parser has normalized. */
import { variant } from './mistake.ts'

/** Sample: `https://` `user@` `a.example:443` `/h/one` `?x=1` `#top`. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)?((?:[^/?#]*@)?)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is

/** Splits a URL into parts that include their delimiters. */
export function urlPartsOf(url: string) {
  const [, scheme = '', user = '', host = '', path = '', query = '', fragment = ''] =
    PARTS.exec(url) ?? []
  const parts = { scheme, user, host, path, query, fragment }
  const written = (others: Partial<typeof parts>) => Object.values({ ...parts, ...others }).join('')
  return {
    ...parts,
    written,
    variantWith: (cause: string, rank: number, how: string, others: Partial<typeof parts>) =>
      variant(cause, rank, how, written(others)),
  }
}

export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Encodes a text; returns one with a lone surrogate, which has no encoding, unchanged. */
export function encodedOrSame(text: string, encode: (text: string) => string): string {
  try {
    return encode(text)
  } catch {
    return text
  }
}
