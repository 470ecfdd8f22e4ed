/** Texts that a signer uses instead of the registered URL. */
import { domainToUnicode } from 'node:url'
import type { DiagnosisInput, KnownUrl } from './diagnosis-input.ts'
import {
  combineLikely,
  describeVariants,
  variant,
  type PartMistakes,
  type Variant,
} from './mistake.ts'
import { printedTexts } from './printed-forms.ts'
import { unsetTexts } from './unset-texts.ts'
import { decodedOrSame, encodedOrSame, urlPartsOf } from './url-parts.ts'
import { developmentUrlVariants, urlRoutingVariants } from './url-routing-mistakes.ts'
import { urlCaseVariants, urlEscapeVariants } from './url-spelling-mistakes.ts'

const STORED_IS_RIGHT = 'Use the registered URL, not the one you passed.'

export function urlMistakes({ url, signer, otherUrls }: DiagnosisInput): PartMistakes<string> {
  return describeVariants<string>({
    variants: [
      ...otherUrls.map(knownUrlVariant),
      ...variantsOf(url),
      ...otherUrls
        .filter(({ kind }) => kind === 'local')
        .map((local) =>
          variant(
            'url:local',
            2,
            'as the receiver sees it, over http',
            local.url.replace(/^https:/, 'http:'),
          ),
        ),
      ...unsetTexts.map(({ text, rank }) =>
        variant('url:unset', rank, 'as an unset variable', text),
      ),
      ...developmentUrlVariants(url),
      ...printedTexts.map(({ how, print }) =>
        variant('url:printed', 4, `printed ${how}`, print(url, Buffer.from(url))),
      ),
    ],
    pairsOf: (variants) => combineLikely(variants, variantsOf),
    // A missing URL is a mistake of the layout.
    except: [url, ''],
    identityOf: String,
    describe: ({ how, value: signedUrl, causes }) => ({
      what: `Signed over the URL ${how} (${signedUrl}).`,
      fix:
        causes[0] === 'url:stored'
          ? STORED_IS_RIGHT
          : signer === 'service' && canBeRegistered(signedUrl)
            ? `The service signed \`${signedUrl}\`. Verify with that URL, or register it ${slashCorrections[causes.join(' ')] ?? `as \`${url}\``}.`
            : `Sign the URL exactly as registered: ${url}`,
      signedUrl,
    }),
  })
}

/** Ends of "register it …" if only the slash at the end differs. */
const slashCorrections: Readonly<Record<string, string>> = {
  'url:trailing-slash': 'without the slash',
  'url:no-trailing-slash': 'with the slash',
}

/** Whether the service accepts this URL for a hook. */
const canBeRegistered = (url: string) => /^https?:\/\/./i.test(url) && URL.canParse(url)

function knownUrlVariant({ kind, url }: KnownUrl): Variant<string> {
  switch (kind) {
    case 'stored':
      return variant('url:stored', 1, 'stored for this hook', url)
    case 'local':
      return variant('url:local', 1, 'as the receiver sees it, not as registered', url)
    case 'handler':
      return variant('url:local', 1, 'of your handler, not as registered', url)
    case 'other-hook':
      return variant('url:other-hook', 2, 'of another hook', url)
  }
}

const variantsOf = (url: string, maxRank = Infinity): Variant<string>[] => [
  ...urlCaseVariants(url, maxRank),
  ...textVariants(url),
  ...urlEscapeVariants(url),
  ...componentVariants(url),
  ...urlRoutingVariants(url),
]

function textVariants(url: string): Variant<string>[] {
  const { path, query, fragment, written } = urlPartsOf(url)
  const base = written({ query: '', fragment: '' })
  const slash = base.endsWith('/')
    ? variant(
        'url:no-trailing-slash',
        1,
        'without its trailing slash',
        base.slice(0, -1) + query + fragment,
      )
    : variant('url:trailing-slash', 1, 'with a trailing slash', `${base}/${query}${fragment}`)
  const sortedQuery = query === '' ? '' : `?${query.slice(1).split('&').toSorted().join('&')}`
  return [
    slash,
    variant('url:path-only', 1, 'as a path only', path + query),
    variant('url:path-only', 2, 'as a path only, without the query', path),
    variant('url:path-only', 2, 'as a path only, without its first slash', path.slice(1) + query),
    variant('url:no-query', 1, 'without its query', base + fragment),
    variant('url:http', 1, 'with http instead of https', url.replace(/^https:/i, 'http:')),
    variant('url:no-scheme', 2, 'without its scheme', url.replace(/^[a-z]+:\/\//i, '')),
    variant(
      'url:no-scheme',
      4,
      'without its scheme, but with both slashes',
      url.replace(/^[a-z]+:/i, ''),
    ),
    variant('url:no-fragment', 2, 'without its fragment', base + query),
    variant('url:sorted-query', 2, 'with sorted query parameters', base + sortedQuery + fragment),
    variant('url:decoded', 2, 'percent-decoded', decodedOrSame(url)),
    variant(
      'url:decoded',
      3,
      'percent-decoded, with + as a space',
      decodedOrSame(url.replaceAll('+', ' ')),
    ),
    variant('url:encoded', 2, 'percent-encoded', encodedOrSame(url, encodeURI)),
    variant(
      'url:encoded',
      4,
      'percent-encoded as one query value',
      encodedOrSame(url, encodeURIComponent),
    ),
    variant('url:lower-case', 2, 'in lowercase', url.toLowerCase()),
    variant('url:html-escaped', 2, 'with & as &amp;, as in HTML', url.replaceAll('&', '&amp;')),
    variant('url:html-escaped', 2, 'with &amp; as &', url.replaceAll('&amp;', '&')),
    variant(
      'url:html-escaped',
      3,
      String.raw`with & as \u0026, as in Go's JSON`,
      url.replaceAll('&', String.raw`\u0026`),
    ),
    variant('url:html-escaped', 4, 'with & as &#38;, as in HTML', url.replaceAll('&', '&#38;')),
    variant('url:trimmed', 2, 'without surrounding whitespace', url.trim()),
    variant('url:newline', 3, 'with a trailing newline', `${url}\n`),
    variant('url:quoted', 3, 'in quotes', `"${url}"`),
    variant(
      'url:escaped-slashes',
      3,
      "with escaped slashes, like in PHP's JSON",
      url.replaceAll('/', String.raw`\/`),
    ),
  ]
}

function componentVariants(url: string): Variant<string>[] {
  if (!URL.canParse(url)) return []
  const { href, protocol, host, hostname, port, pathname, search, origin } = new URL(url)
  const writtenHost = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? host
  const hasPort = /:\d+$/.test(writtenHost)
  const otherNames: Record<string, string> = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }
  const otherName = otherNames[hostname]
  return [
    variant('url:path-only', 3, 'as a path only, normalized', pathname + search),
    hasPort
      ? variant(
          'url:no-port',
          1,
          'without its port',
          url.replace(writtenHost, writtenHost.replace(/:\d+$/, '')),
        )
      : variant(
          'url:default-port',
          1,
          'with the default port',
          url.replace(writtenHost, `${writtenHost}:${protocol === 'http:' ? '80' : '443'}`),
        ),
    variant('url:normalised', 2, 'as a URL library normalizes it', href),
    variant('url:no-path', 3, 'as an origin only', origin),
    variant('url:no-path', 4, 'as an origin only', `${origin}/`),
    variant('url:host-only', 4, 'as a host only', host),
    variant('url:host-only', 5, 'as a host only', hostname),
    variant(
      'url:unicode-host',
      3,
      'with its host in Unicode',
      url.replace(hostname, domainToUnicode(hostname)),
    ),
    ...(otherName === undefined
      ? []
      : [
          variant(
            'url:local',
            2,
            `with ${otherName} as its host`,
            href.replace(host, port === '' ? otherName : `${otherName}:${port}`),
          ),
        ]),
    ...(hostname.startsWith('www.')
      ? [variant('url:no-www', 4, 'without www', url.replace('www.', ''))]
      : [variant('url:www', 5, 'with www', url.replace(hostname, `www.${hostname}`))]),
  ]
}
