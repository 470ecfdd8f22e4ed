/**
 * Texts that a signer uses instead of the registered URL. In one file, because most of it is the
 * table of this part's mistakes.
 */
import { domainToUnicode } from 'node:url'
import {
  createMistakeGroup,
  combineMismatches,
  type DiagnosisInput,
  type MistakeGroup,
  type Variant as AnyVariant,
} from './mismatch.ts'
import { printedTexts } from './printed-text.ts'
import { unsetTexts } from './unset.ts'

type Variant = AnyVariant<string>

const STORED_IS_RIGHT = 'The registered URL is correct. The one you tried is a different one.'

/** Undoes percent-encoding; returns a text with malformed escapes unchanged. */
function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function encodedOrSame(text: string, encode: (text: string) => string): string {
  try {
    return encode(text)
  } catch {
    // A lone surrogate can't be encoded.
    return text
  }
}

/** Maximum number of labels to capitalize one by one. */
const MAX_LABELS = 4
/** Path prefixes of gateways and servers, likeliest first. */
const PREFIXES =
  'api functions/v1 webhooks hooks v1 api/v1 prod stage dev default webhook app .netlify/functions test live staging public gateway backend service svc _api index.php'.split(
    ' ',
  )
const LIKELY_PREFIXES = 8
/** Maximum number of segments to remove. */
const MAX_SEGMENTS = 6

const escapes = /%[0-9a-f]{2}/gi

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

const capitalizeWords = (text: string) =>
  text.replaceAll(/(?<![a-z0-9])[a-z]/gi, (one) => one.toUpperCase())

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

/** Splits a URL as written; `written` joins changed parts. */
function partsOf(url: string) {
  const [, scheme = '', user = '', host = '', path = '', query = '', fragment = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)?((?:[^/?#]*@)?)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url) ?? []
  const original = { scheme, user, host, path, query, fragment }
  const written = (changes: Partial<typeof original>) =>
    Object.values({ ...original, ...changes }).join('')
  return { ...original, written }
}

/** Changes letter case; escapes come first, because lowercase paths and queries include them. */
function caseVariants(url: string, mostRank: number): Variant[] {
  const { scheme, host, path, query, written } = partsOf(url)
  return [
    [
      'url:escape-case',
      2,
      'with lowercase escapes',
      url.replace(escapes, (one) => one.toLowerCase()),
    ],
    [
      'url:escape-case',
      2,
      'with uppercase escapes',
      url.replace(escapes, (one) => one.toUpperCase()),
    ],
    ['url:scheme-case', 4, 'with an uppercase scheme', written({ scheme: scheme.toUpperCase() })],
    ['url:scheme-case', 2, 'with a lowercase scheme', written({ scheme: scheme.toLowerCase() })],
    [
      'url:scheme-case',
      4,
      'with a capitalized scheme',
      written({ scheme: capitalizeWords(scheme) }),
    ],
    ['url:host-case', 2, 'with a lowercase host', written({ host: host.toLowerCase() })],
    ['url:host-case', 4, 'with an uppercase host', written({ host: host.toUpperCase() })],
    ...(mostRank < 4 ? [] : hostCapitalizations(host)).map((mixed): Variant => [
      'url:host-case',
      4,
      'with capitals in its host',
      written({ host: mixed }),
    ]),
    [
      'url:host-case',
      4,
      'with a lowercase scheme and host',
      written({ scheme: scheme.toLowerCase(), host: host.toLowerCase() }),
    ],
    [
      'url:host-case',
      4,
      'with an uppercase scheme and host',
      written({ scheme: scheme.toUpperCase(), host: host.toUpperCase() }),
    ],
    ['url:path-case', 2, 'with a lowercase path', written({ path: path.toLowerCase() })],
    ['url:path-case', 4, 'with an uppercase path', written({ path: path.toUpperCase() })],
    ['url:path-case', 4, 'with a capitalized path', written({ path: capitalizeWords(path) })],
    ['url:query-case', 4, 'with a lowercase query', written({ query: query.toLowerCase() })],
    ['url:query-case', 4, 'with an uppercase query', written({ query: query.toUpperCase() })],
    ['url:upper-case', 4, 'in uppercase', url.toUpperCase()],
  ]
}

function escapeVariants(url: string): Variant[] {
  const { path, query, written } = partsOf(url)
  const segments = (encode: (text: string) => string) =>
    path
      .split('/')
      .map((one) => encode(decodedOrSame(one)))
      .join('/')
  return [
    ['url:decoded', 3, 'without unnecessary percent-encoding', withoutNeedlessEscapes(url)],
    [
      'url:decoded',
      3,
      'with the escapes in its path decoded',
      written({ path: decodedOrSame(path) }),
    ],
    [
      'url:decoded',
      4,
      'with the escapes in its query decoded',
      written({ query: decodedOrSame(query) }),
    ],
    ['url:encoded', 4, 'with + instead of %20', written({ query: query.replaceAll('%20', '+') })],
    ['url:encoded', 4, 'with %20 instead of +', written({ query: query.replaceAll('+', '%20') })],
    [
      'url:encoded',
      4,
      'with its path percent-encoded',
      written({ path: segments((one) => encodedOrSame(one, encodeURIComponent)) }),
    ],
    [
      'url:encoded',
      4,
      'with more of its path percent-encoded',
      written({ path: segments(encodedStrictly) }),
    ],
    [
      'url:encoded',
      4,
      'with ~ and more of its path percent-encoded',
      written({ path: segments((one) => encodedStrictly(one).replaceAll('~', '%7E')) }),
    ],
  ]
}

/** Changes path or origin as proxies, gateways and routers do. */
function routingVariants(url: string): Variant[] {
  const { path, query, written } = partsOf(url)
  const segments = path.split('/').slice(1)
  const without = segments.slice(1, MAX_SEGMENTS + 1).map((_, index): Variant => {
    const [gone, remaining] = [segments.slice(0, index + 1), segments.slice(index + 1)]
    return [
      'url:no-path-prefix',
      index < 2 ? 2 : 3,
      `without the path prefix /${gone.join('/')}`,
      written({ path: `/${remaining.join('/')}` }),
    ]
  })
  const withPrefix = PREFIXES.map((prefix, index): Variant => [
    'url:path-prefix',
    index < 2 ? 2 : index < LIKELY_PREFIXES ? 3 : 4,
    `with the path prefix /${prefix}`,
    written({ path: `/${prefix}${path}` }),
  ])
  const doubled = segments.map((_, index): Variant => [
    'url:double-slash',
    index === 0 ? 2 : 3,
    'with a double slash in its path',
    written({
      path: path
        .split('/')
        .toSpliced(index + 1, 0, '')
        .join('/'),
    }),
  ])
  return [
    ['url:no-userinfo', 2, 'without its user name and password', written({ user: '' })],
    [
      'url:single-slash',
      2,
      'with single slashes in its path',
      written({ path: path.replaceAll(/\/{2,}/g, '/') }),
    ],
    ...without,
    ...(path === '' ? [] : [...withPrefix, ...doubled]),
    ...unsetTexts.map(([text, rank]): Variant => [
      'url:unset',
      rank + 1,
      'with an unset variable as its origin',
      text + path + query,
    ]),
  ]
}

function textVariants(url: string): Variant[] {
  const [, base = url, query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? []
  const slash: Variant = base.endsWith('/')
    ? [
        'url:no-trailing-slash',
        1,
        'without its trailing slash',
        base.slice(0, -1) + query + fragment,
      ]
    : ['url:trailing-slash', 1, 'with a trailing slash', `${base}/${query}${fragment}`]
  const { path } = partsOf(url)
  const sortedQuery = query === '' ? '' : `?${query.slice(1).split('&').toSorted().join('&')}`
  return [
    slash,
    ['url:path-only', 1, 'as a path only', path + query],
    ['url:path-only', 2, 'as a path only, without the query', path],
    ['url:path-only', 2, 'as a path only, without its first slash', path.slice(1) + query],
    ['url:no-query', 1, 'without its query', base + fragment],
    ['url:http', 1, 'with http instead of https', url.replace(/^https:/i, 'http:')],
    ['url:no-scheme', 2, 'without its scheme', url.replace(/^[a-z]+:\/\//i, '')],
    ['url:no-scheme', 4, 'without its scheme, but with both slashes', url.replace(/^[a-z]+:/i, '')],
    ['url:no-fragment', 2, 'without its fragment', base + query],
    ['url:sorted-query', 2, 'with sorted query parameters', base + sortedQuery + fragment],
    ['url:decoded', 2, 'percent-decoded', decodedOrSame(url)],
    [
      'url:decoded',
      3,
      'percent-decoded, with + as a space',
      decodedOrSame(url.replaceAll('+', ' ')),
    ],
    ['url:encoded', 2, 'percent-encoded', encodedOrSame(url, encodeURI)],
    [
      'url:encoded',
      4,
      'percent-encoded as one query value',
      encodedOrSame(url, encodeURIComponent),
    ],
    ['url:lower-case', 2, 'in lowercase', url.toLowerCase()],
    ['url:html-escaped', 2, 'with & as &amp;, as in HTML', url.replaceAll('&', '&amp;')],
    ['url:html-escaped', 2, 'with &amp; as &', url.replaceAll('&amp;', '&')],
    [
      'url:html-escaped',
      3,
      String.raw`with & as \u0026, as in Go's JSON`,
      url.replaceAll('&', String.raw`\u0026`),
    ],
    ['url:html-escaped', 4, 'with & as &#38;, as in HTML', url.replaceAll('&', '&#38;')],
    ['url:trimmed', 2, 'without surrounding whitespace', url.trim()],
    ['url:newline', 3, 'with a trailing newline', `${url}\n`],
    ['url:quoted', 3, 'in quotes', `"${url}"`],
    [
      'url:escaped-slashes',
      3,
      "with escaped slashes, like in PHP's JSON",
      url.replaceAll('/', String.raw`\/`),
    ],
  ]
}

/** Hosts as development servers see them, likeliest first. */
const HOSTS = ['localhost', '127.0.0.1', '0.0.0.0', 'host.docker.internal']
const PORTS =
  ' :3000 :8000 :8080 :5000 :4000 :80 :8888 :9000 :3001 :5001 :8081 :4567 :9292 :7071 :8787 :1337 :5173 :8443'.split(
    ' ',
  )

/** Returns URLs as development servers see them. */
function developmentVariants(url: string): Variant[] {
  const { scheme, host, path, query } = partsOf(url)
  if (scheme === '') return []
  const local = (localScheme: string, localHost: string, port: string): Variant => [
    'url:local',
    4,
    'as a development server sees it',
    `${localScheme}://${localHost}${port}${path}${query}`,
  ]
  const registered = host.replace(/:\d+$/, '')
  return PORTS.flatMap((port) => [
    ...HOSTS.map((localHost) => local('http', localHost, port)),
    local('https', 'localhost', port),
    // The default ports of the registered host are other mistakes, tried elsewhere.
    ...(['', ':80'].includes(port)
      ? []
      : [local('http', registered, port), local('https', registered, port)]),
  ])
}

function componentVariants(url: string): Variant[] {
  if (!URL.canParse(url)) return []
  const { href, protocol, host, hostname, port, pathname, search, origin } = new URL(url)
  const writtenHost = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? host
  const explicitPort = /:\d+$/.test(writtenHost)
  const localhost: Record<string, string> = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }
  const otherName = localhost[hostname]
  return [
    ['url:path-only', 3, 'as a path only, normalized', pathname + search],
    explicitPort
      ? [
          'url:no-port',
          1,
          'without its port',
          url.replace(writtenHost, writtenHost.replace(/:\d+$/, '')),
        ]
      : [
          'url:default-port',
          1,
          'with the default port',
          url.replace(writtenHost, `${writtenHost}:${protocol === 'http:' ? '80' : '443'}`),
        ],
    ['url:normalised', 2, 'as a URL library normalizes it', href],
    ['url:no-path', 3, 'as an origin only', origin],
    ['url:no-path', 4, 'as an origin only', `${origin}/`],
    ['url:host-only', 4, 'as a host only', host],
    ['url:host-only', 5, 'as a host only', hostname],
    [
      'url:unicode-host',
      3,
      'with its host in Unicode',
      url.replace(hostname, domainToUnicode(hostname)),
    ],
    ...(otherName === undefined
      ? []
      : ([
          [
            'url:local',
            2,
            `with ${otherName} as its host`,
            href.replace(host, port === '' ? otherName : `${otherName}:${port}`),
          ],
        ] as const)),
    ...(hostname.startsWith('www.')
      ? ([['url:no-www', 4, 'without www', url.replace('www.', '')]] as const)
      : ([['url:www', 5, 'with www', url.replace(hostname, `www.${hostname}`)]] as const)),
  ]
}

const variantsOf = (url: string, mostRank = Infinity): Variant[] => [
  ...caseVariants(url, mostRank),
  ...textVariants(url),
  ...escapeVariants(url),
  ...componentVariants(url),
  ...routingVariants(url),
]

/** Whether the service accepts this URL for a hook. */
const canBeRegistered = (url: string) => /^https?:\/\/./i.test(url) && URL.canParse(url)

export function urlMismatches({ url, signer, otherUrls }: DiagnosisInput): MistakeGroup<string> {
  const otherVariants = otherUrls.map(({ kind, url: other }): Variant => {
    switch (kind) {
      case 'stored':
        return ['url:stored', 1, 'stored for this hook', other]
      case 'local':
        return ['url:local', 1, 'as the receiver sees it, not as registered', other]
      case 'handler':
        return ['url:local', 1, 'of your handler, not as registered', other]
      case 'other-hook':
        return ['url:other-hook', 2, 'of another hook', other]
    }
  })
  const local = otherUrls
    .filter(({ kind }) => kind === 'local')
    .map(({ url: other }): Variant => [
      'url:local',
      2,
      'as the receiver sees it, over http',
      other.replace(/^https:/, 'http:'),
    ])
  const corrections: Readonly<Record<string, string>> = {
    'url:trailing-slash': 'without the slash',
    'url:no-trailing-slash': 'with the slash',
  }
  return createMistakeGroup<string>({
    variants: [
      ...otherVariants,
      ...variantsOf(url),
      ...local,
      ...unsetTexts.map(([text, rank]): Variant => [
        'url:unset',
        rank,
        'as an unset variable',
        text,
      ]),
      ...developmentVariants(url),
      ...printedTexts.map(([how, print]): Variant => [
        'url:printed',
        4,
        `printed ${how}`,
        print(url, Buffer.from(url)),
      ]),
    ],
    twice: (single) => combineMismatches(single, variantsOf),
    // A missing URL is a mistake of the layout.
    except: [url, ''],
    keyOf: String,
    describe: (how, text, causes) => ({
      what: `Signed over the URL ${how} (${text}).`,
      fix:
        causes[0] === 'url:stored'
          ? STORED_IS_RIGHT
          : signer === 'service' && canBeRegistered(text)
            ? `The service signed \`${text}\`. Verify with that URL, or register it ${corrections[causes.join(' ')] ?? `as \`${url}\``}.`
            : `Sign the URL exactly as registered: ${url}`,
      signedUrl: text,
    }),
  })
}
