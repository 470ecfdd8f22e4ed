/** Header names that a hook cannot add to its deliveries (section 4.3). */
import { headerNames } from './header-names.ts'

const standard = [
  'Accept-Charset',
  'Accept-Datetime',
  'Accept-Encoding',
  'Accept-Language',
  'Accept',
  'Access-Control-Request-Headers',
  'Access-Control-Request-Method',
  'Cache-Control',
  'Connection',
  'Content-Length',
  'Content-Type',
  'Cookie',
  'Date',
  'Expect',
  'Forwarded',
  'From',
  'Host',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Max-Forwards',
  'Origin',
  'Pragma',
  'Proxy-Authorization',
  'Range',
  'Referer',
  'TE',
  'Transfer-Encoding',
  'Upgrade',
  'User-Agent',
  'Via',
  'Warning',
]

/** The names that carry the service's own name, without it. */
const own = ['account', 'key', 'live', 'request-id', 'user']

/** The whole list under a prefix, in lower case. */
export function blockedHeaders(prefix: string): ReadonlySet<string> {
  const { signature, timestamp } = headerNames(prefix)
  return new Set([
    ...standard.map((name) => name.toLowerCase()),
    ...own.map((name) => `${prefix.toLowerCase()}-${name}`),
    signature,
    timestamp,
  ])
}
