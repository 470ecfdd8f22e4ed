/**
 * Which addresses the app may listen on. Loopback without a word; anything wider only when asked for by name, since every
 * device in the network could then reach it. The system folds many spellings into "any address", so they are folded here too.
 */
import { isIP } from 'node:net'
import { AppError } from '../shared/contract/errors.ts'

export interface BindAddress {
  /** What to listen on: an address, never a name, so that no resolver decides. */
  readonly address: string
  /** Whether only this machine can reach it. */
  readonly loopback: boolean
  /** Whether it stands for every address of the machine. */
  readonly any: boolean
}

/** The number that a part of an IPv4 address in the system's loose spelling stands for: decimal, 0x hex or 0 octal; null where it is none. */
function loosePart(text: string): number | null {
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : Number.parseInt(text.slice(2), 16)
  if (/^0[0-7]*$/.test(text)) return Number.parseInt(text, 8)
  return /^[1-9]\d*$/.test(text) ? Number(text) : null
}

/** An IPv4 address as the system reads it, `127.1`, `0` and `0x7f000001` included, in four decimal parts; null where it is none. */
function looseIpv4(text: string): string | null {
  const parts = text.split('.').map(loosePart)
  const last = parts.pop()
  if (last === undefined || last === null || parts.length > 3 || last >= 256 ** (4 - parts.length)) return null
  let value = last
  for (const [index, part] of parts.entries()) {
    if (part === null || part > 255) return null
    value += part * 256 ** (3 - index)
  }
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

/** The IPv4 address inside an IPv6 one (`::ffff:0.0.0.0`), else the address in its shortest form without brackets. */
function normaliseIpv6(text: string): string {
  const shortest = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest)
  if (mapped === null) return shortest
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/**
 * Reads what `--host` gave. `localhost` is 127.0.0.1: the resolver may know only `::1`, or something else altogether.
 * Throws `INVALID_INPUT` where it is no address, and where it is not loopback and `dangerouslyBind` is not set.
 */
export function readBindAddress(host: string, dangerouslyBind: boolean): BindAddress {
  // Full-width digits and dots are folded by resolvers, so they are folded here.
  const text = host
    .normalize('NFKC')
    .trim()
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  const address = text === 'localhost' ? '127.0.0.1' : isIP(text) === 6 ? normaliseIpv6(text) : looseIpv4(text)
  if (address === null) {
    throw new AppError('INVALID_INPUT', `"${host}" is not an IP address. Enter one, for example 127.0.0.1.`)
  }
  const loopback = address === '::1' || address.startsWith('127.')
  if (!loopback && !dangerouslyBind) {
    throw new AppError(
      'INVALID_INPUT',
      `"${host}" is not a loopback address: other computers could reach the app. Omit --host, or add --dangerously-bind to allow it.`,
    )
  }
  return { address, loopback, any: address === '0.0.0.0' || address === '::' }
}
