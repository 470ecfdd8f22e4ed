/** URLs as proxies, gateways, routers and development servers change them. */
import { variant, type Variant } from './mistake.ts'
import { unsetTexts } from './unset-texts.ts'
import { urlPartsOf } from './url-parts.ts'

/** Path prefixes of gateways and servers, likeliest first. */
const PREFIXES =
  'api functions/v1 webhooks hooks v1 api/v1 prod stage dev default webhook app .netlify/functions test live staging public gateway backend service svc _api index.php'.split(
    ' ',
  )
/** Number of prefixes that rank higher than the others. */
const LIKELY_PREFIXES = 8
/** Maximum number of segments to remove. */
const MAX_SEGMENTS = 6

export function urlRoutingVariants(url: string): Variant<string>[] {
  const { path, query, variantWith } = urlPartsOf(url)
  const segments = path.split('/').slice(1)
  const without = segments.slice(1, MAX_SEGMENTS + 1).map((_, index) => {
    const [gone, remaining] = [segments.slice(0, index + 1), segments.slice(index + 1)]
    return variantWith(
      'url:no-path-prefix',
      index < 2 ? 2 : 3,
      `without the path prefix /${gone.join('/')}`,
      { path: `/${remaining.join('/')}` },
    )
  })
  const withPrefix = PREFIXES.map((prefix, index) =>
    variantWith(
      'url:path-prefix',
      index < 2 ? 2 : index < LIKELY_PREFIXES ? 3 : 4,
      `with the path prefix /${prefix}`,
      { path: `/${prefix}${path}` },
    ),
  )
  const doubled = segments.map((_, index) =>
    variantWith('url:double-slash', index === 0 ? 2 : 3, 'with a double slash in its path', {
      path: path
        .split('/')
        .toSpliced(index + 1, 0, '')
        .join('/'),
    }),
  )
  return [
    variantWith('url:no-userinfo', 2, 'without its user name and password', { user: '' }),
    variantWith('url:single-slash', 2, 'with single slashes in its path', {
      path: path.replaceAll(/\/{2,}/g, '/'),
    }),
    ...without,
    ...(path === '' ? [] : [...withPrefix, ...doubled]),
    ...unsetTexts.map(({ text, rank }) =>
      variant('url:unset', rank + 1, 'with an unset variable as its origin', text + path + query),
    ),
  ]
}

/** Hosts as development servers see them, likeliest first. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '0.0.0.0', 'host.docker.internal']
/** Ports of development servers, likeliest first. */
const PORTS = [
  3000, 8000, 8080, 5000, 4000, 80, 8888, 9000, 3001, 5001, 8081, 4567, 9292, 7071, 8787, 1337,
  5173, 8443,
].map((port) => `:${port}`)

export function developmentUrlVariants(url: string): Variant<string>[] {
  const { scheme, host, path, query } = urlPartsOf(url)
  if (scheme === '') return []
  const local = (localScheme: string, localHost: string, port: string) =>
    variant(
      'url:local',
      4,
      'as a development server sees it',
      `${localScheme}://${localHost}${port}${path}${query}`,
    )
  const registered = host.replace(/:\d+$/, '')
  return ['', ...PORTS].flatMap((port) => [
    ...LOCAL_HOSTS.map((localHost) => local('http', localHost, port)),
    local('https', 'localhost', port),
    // The default ports of the registered host are other mistakes, tried elsewhere.
    ...(['', ':80'].includes(port)
      ? []
      : [local('http', registered, port), local('https', registered, port)]),
  ])
}
