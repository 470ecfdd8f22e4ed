/** HTTP's rules for headers, and kinds of target URLs. */

/** Headers of a connection (RFC 9110, section 7.6.1), and those that the client adds. */
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

/** Whether a header can't be copied to another request. */
export function isOfConnection(name: string): boolean {
  return ofConnection.has(name.toLowerCase())
}

/** Returns why a header can't be sent, as a sentence. */
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

/** Completes a loopback target, such as `localhost:3000/webhooks`. */
export function withScheme(target: string): string {
  return /^(?:(?:[a-z\d-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?#]|$)/i.test(target)
    ? `http://${target}`
    : target
}

/** Whether a text lacks only the scheme of a URL. */
export function lacksScheme(target: string): boolean {
  return /^(?:[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?|[a-z\d.-]+:\d+)(?:[/?#]|$)/i.test(target)
}

export type TargetKind = 'none' | 'receiver' | 'here' | 'network' | 'elsewhere'

/**
 * Classifies a typed target.
 * @param receiver Countersign's own URL, if it listens
 */
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

/** Returns the host of a URL that reaches an address on this computer. */
export function urlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}

/** Returns the handler named by `@NAME` or `handler:NAME`. */
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

/** Returns a name such as `Unauthorized` for 401; empty if unusual. */
export function statusName(status: number): string {
  return statusNames[status] ?? ''
}
