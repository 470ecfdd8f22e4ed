/** The limits of HTTP on request headers, and where a target URL points. */

/** Headers of a single connection (RFC 9110, section 7.6.1), and those that the client adds itself. */
const ofConnection = new Set([
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'expect',
])

/** Whether a header belongs to the connection, not to the request: it can't be copied to another request. */
export function isOfConnection(name: string): boolean {
  return ofConnection.has(name.toLowerCase())
}

/** Why a header can't be sent, as a sentence; null if it can. */
export function headerProblem(name: string, value: string): string | null {
  if (name === '') return 'Enter a header name.'
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return `"${name}" isn't a valid header name. Use letters, digits and hyphens.`
  if (isOfConnection(name)) return `${name} is set automatically. Remove it.`
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return `The value of ${name} has characters that HTTP can't send: line breaks, control characters, or characters beyond Latin-1.`
  if (/^[ \t]|[ \t]$/.test(value))
    return `The value of ${name} starts or ends with whitespace, which HTTP removes.`
  return null
}

/** Completes a loopback target such as `localhost:3000/webhooks` to an http URL. Other texts are returned unchanged. */
export function withScheme(target: string): string {
  return /^(?:(?:[a-z\d-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?#]|$)/i.test(target)
    ? `http://${target}`
    : target
}

/** Whether a text would be a URL if a scheme preceded it, such as `example.com/webhooks`. */
export function lacksScheme(target: string): boolean {
  return /^(?:[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?|[a-z\d.-]+:\d+)(?:[/?#]|$)/i.test(target)
}

export type TargetKind = 'none' | 'receiver' | 'here' | 'network' | 'elsewhere'

/** Classifies a target as typed. `receiver` is Countersign's own, as `https://127.0.0.1:PORT`; null if it isn't listening. */
export function targetKind(target: string, receiver: string | null): TargetKind {
  const complete = withScheme(target)
  const url = URL.canParse(complete) ? new URL(complete) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'none'
  const host = url.hostname.replace(/\.$/, '')
  const isHere =
    /^127(\.\d+){3}$/.test(host) ||
    host === '[::1]' ||
    host === 'localhost' ||
    host.endsWith('.localhost')
  if (
    isHere &&
    receiver !== null &&
    new URL(receiver).port === url.port &&
    url.protocol === 'https:'
  )
    return 'receiver'
  if (isHere) return 'here'
  if (
    /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host) ||
    /^\[f[cde]/.test(host)
  )
    return 'network'
  return 'elsewhere'
}

/** The host of a URL that reaches an address on this computer: IPv6 addresses in brackets, loopback for every address. */
export function urlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}

/** The saved handler that an endpoint names: `@NAME` or `handler:NAME`. Null for any other text. */
export function handlerNameIn(endpoint: string): string | null {
  return /^(?:@|handler:)(.*)$/s.exec(endpoint.trim())?.[1] ?? null
}

const statusNames: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** The name of a status, such as `Unauthorized`; empty if it is unusual. */
export function statusName(status: number): string {
  return statusNames[status] ?? ''
}
