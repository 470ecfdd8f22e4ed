/**
 * Checks which addresses the app may listen on: others than loopback only if allowed, because every
 * device on the network could then reach it.
 */
import { isIP } from 'node:net'
import { AppError } from '../shared/contract/errors.ts'

export interface BindAddress {
  /** IP address, never a name, so that no resolver decides. */
  readonly address: string
  readonly loopback: boolean
  /** Whether the address stands for all addresses of this computer. */
  readonly any: boolean
}

/** Parses a part of an IPv4 address: `127`, `0x7f` or octal `0177`; null if invalid. */
function parseLoosePart(text: string): number | null {
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : Number.parseInt(text.slice(2), 16)
  if (/^0[0-7]*$/.test(text)) return Number.parseInt(text, 8)
  return /^[1-9]\d*$/.test(text) ? Number(text) : null
}

/**
 * Parses an IPv4 address as the system does, including `127.1`, `0` and `0x7f000001`; null if
 * invalid.
 */
function parseLooseIpv4(text: string): string | null {
  const parts = text.split('.').map(parseLoosePart)
  // The last part has all remaining bytes.
  const last = parts.pop()
  if (last === undefined || last === null || parts.length > 3 || last >= 256 ** (4 - parts.length))
    return null
  let value = last
  for (const [index, part] of parts.entries()) {
    if (part === null || part > 255) return null
    value += part * 256 ** (3 - index)
  }
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

/** Returns the IPv4 address inside an IPv6 address (`::ffff:0.0.0.0`), else the shortest form. */
function normalizeIpv6(text: string): string {
  const shortest = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest)
  if (mapped === null) return shortest
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/**
 * Reads `--host`. `localhost` means 127.0.0.1, because a resolver may know only `::1`.
 * Throws `INVALID_INPUT` for an invalid address, or if it isn't loopback and `dangerouslyBind` is
 * not set.
 */
export function readBindAddress(
  host: string,
  { dangerouslyBind }: { readonly dangerouslyBind: boolean },
): BindAddress {
  // Resolvers accept full-width digits and dots too.
  const text = host
    .normalize('NFKC')
    .trim()
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  const address =
    text === 'localhost'
      ? '127.0.0.1'
      : isIP(text) === 6
        ? normalizeIpv6(text)
        : parseLooseIpv4(text)
  if (address === null) {
    throw new AppError(
      'INVALID_INPUT',
      `"${host}" is not an IP address. Enter one, for example 127.0.0.1.`,
    )
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
