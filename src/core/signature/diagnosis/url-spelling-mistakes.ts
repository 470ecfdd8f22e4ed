/** URLs in other letter case and with other percent-encoding. */
import { variant, type Variant } from './mistake.ts'
import { decodedOrSame, encodedOrSame, urlPartsOf } from './url-parts.ts'

const escapes = /%[0-9a-f]{2}/gi

/** Changes letter case; escapes come first, because lowercase paths and queries include them. */
export function urlCaseVariants(url: string, maxRank: number): Variant<string>[] {
  const { scheme, host, path, query, variantWith } = urlPartsOf(url)
  return [
    variant(
      'url:escape-case',
      2,
      'with lowercase escapes',
      url.replace(escapes, (one) => one.toLowerCase()),
    ),
    variant(
      'url:escape-case',
      2,
      'with uppercase escapes',
      url.replace(escapes, (one) => one.toUpperCase()),
    ),
    variantWith('url:scheme-case', 4, 'with an uppercase scheme', { scheme: scheme.toUpperCase() }),
    variantWith('url:scheme-case', 2, 'with a lowercase scheme', { scheme: scheme.toLowerCase() }),
    variantWith('url:scheme-case', 4, 'with a capitalized scheme', {
      scheme: capitalizeWords(scheme),
    }),
    variantWith('url:host-case', 2, 'with a lowercase host', { host: host.toLowerCase() }),
    variantWith('url:host-case', 4, 'with an uppercase host', { host: host.toUpperCase() }),
    ...(maxRank < 4 ? [] : hostCapitalizations(host)).map((mixed) =>
      variantWith('url:host-case', 4, 'with capitals in its host', { host: mixed }),
    ),
    variantWith('url:host-case', 4, 'with a lowercase scheme and host', {
      scheme: scheme.toLowerCase(),
      host: host.toLowerCase(),
    }),
    variantWith('url:host-case', 4, 'with an uppercase scheme and host', {
      scheme: scheme.toUpperCase(),
      host: host.toUpperCase(),
    }),
    variantWith('url:path-case', 2, 'with a lowercase path', { path: path.toLowerCase() }),
    variantWith('url:path-case', 4, 'with an uppercase path', { path: path.toUpperCase() }),
    variantWith('url:path-case', 4, 'with a capitalized path', { path: capitalizeWords(path) }),
    variantWith('url:query-case', 4, 'with a lowercase query', { query: query.toLowerCase() }),
    variantWith('url:query-case', 4, 'with an uppercase query', { query: query.toUpperCase() }),
    variant('url:upper-case', 4, 'in uppercase', url.toUpperCase()),
  ]
}

const capitalizeWords = (text: string) =>
  text.replaceAll(/(?<![a-z0-9])[a-z]/gi, (one) => one.toUpperCase())

/** Maximum number of labels to capitalize one by one. */
const MAX_LABELS = 4

/** Returns the host with each label unchanged, capitalized or in uppercase. */
function hostCapitalizations(host: string): string[] {
  const labels = host.split('.')
  if (labels.length > MAX_LABELS) return [capitalizeWords(host)]
  return labels.reduce<string[]>(
    (hosts, label, index) =>
      hosts.flatMap((before) =>
        [label, capitalizeWords(label), label.toUpperCase()].map((one) =>
          index === 0 ? one : `${before}.${one}`,
        ),
      ),
    [''],
  )
}

export function urlEscapeVariants(url: string): Variant<string>[] {
  const { path, query, variantWith } = urlPartsOf(url)
  const segments = (encode: (text: string) => string) =>
    path
      .split('/')
      .map((one) => encode(decodedOrSame(one)))
      .join('/')
  return [
    variant('url:decoded', 3, 'without unnecessary percent-encoding', withoutNeedlessEscapes(url)),
    variantWith('url:decoded', 3, 'with the escapes in its path decoded', {
      path: decodedOrSame(path),
    }),
    variantWith('url:decoded', 4, 'with the escapes in its query decoded', {
      query: decodedOrSame(query),
    }),
    variantWith('url:encoded', 4, 'with + instead of %20', { query: query.replaceAll('%20', '+') }),
    variantWith('url:encoded', 4, 'with %20 instead of +', { query: query.replaceAll('+', '%20') }),
    variantWith('url:encoded', 4, 'with its path percent-encoded', {
      path: segments((one) => encodedOrSame(one, encodeURIComponent)),
    }),
    variantWith('url:encoded', 4, 'with more of its path percent-encoded', {
      path: segments(encodedStrictly),
    }),
    variantWith('url:encoded', 4, 'with ~ and more of its path percent-encoded', {
      path: segments((one) => encodedStrictly(one).replaceAll('~', '%7E')),
    }),
  ]
}

/** Encodes like Python and Java, which keep letters, digits and `-._~`. */
const encodedStrictly = (text: string) =>
  encodedOrSame(text, encodeURIComponent).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Decodes needless escapes (RFC 3986, section 6.2.2.2). */
const withoutNeedlessEscapes = (text: string) =>
  text.replaceAll(escapes, (one) => {
    const character = String.fromCharCode(Number.parseInt(one.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : one
  })
