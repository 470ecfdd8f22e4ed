/** What HTTP allows of request headers, and what the spelling of a URL tells of its host. */

/** What is of the one connection it came on (RFC 9110, section 7.6.1), and what the client makes itself. */
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

/** What HTTP allows of a request's headers, and which of them are not of the request but of the connection that it goes over. */
export function isOfConnection(name: string): boolean {
  return ofConnection.has(name.toLowerCase())
}

/** Why a header cannot be sent, as a sentence; null where it can. */
export function headerProblem(name: string, value: string): string | null {
  if (name === '') return 'A header needs a name.'
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return `"${name}" is no name of a header: it has characters that HTTP cannot carry.`
  if (isOfConnection(name)) return `${name} is made for the new connection: it cannot be set.`
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return `The value of ${name} has characters that HTTP cannot carry (line breaks, control characters, or beyond Latin-1).`
  if (/^[ \t]|[ \t]$/.test(value)) return `The value of ${name} begins or ends with white space, which HTTP takes off.`
  return null
}

export type TargetKind = 'none' | 'receiver' | 'here' | 'network' | 'elsewhere'

/** `receiver` is Countersign's own, as `https://127.0.0.1:PORT`; null where it does not listen. */
export function targetKind(target: string, receiver: string | null): TargetKind {
  const url = URL.canParse(target) ? new URL(target) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'none'
  const host = url.hostname.replace(/\.$/, '')
  const isHere = /^127(\.\d+){3}$/.test(host) || host === '[::1]' || host === 'localhost' || host.endsWith('.localhost')
  if (isHere && receiver !== null && new URL(receiver).port === url.port && url.protocol === 'https:') return 'receiver'
  if (isHere) return 'here'
  if (/^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host) || /^\[f[cde]/.test(host)) return 'network'
  return 'elsewhere'
}

/** An address as it stands in a URL: IPv6 in brackets. */
export function urlHost(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
