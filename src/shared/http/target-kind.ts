/** What kind of host a target names, as far as its spelling tells: where it really leads is judged when the connection is made. */

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
