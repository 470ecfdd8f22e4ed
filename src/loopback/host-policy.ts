/**
 * Decides who may call the app. In a DNS rebinding attack, only the Host header shows that another
 * site's page is calling, so every request must name exactly this host and port.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AppError } from '../shared/contract/errors.ts'
import { urlHost } from '../shared/http.ts'
import type { BindAddress } from './bind-address.ts'

export interface HostPolicy {
  /** Whether the request has exactly one Host header, an allowed one, and a path as target. */
  allowsHost(request: IncomingMessage): boolean
  /** Returns the request's origin if our own page sent it, else null. */
  originOf(request: IncomingMessage): string | null
}

interface AllowedHost {
  readonly host: string
  readonly origins: readonly string[]
}

/**
 * Parses one `--allow-ui-host H:P`. Throws `INVALID_INPUT` unless it is a name or address with a
 * port.
 */
export function parseAllowedHost(text: string): { readonly name: string; readonly port: number } {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?):(\d{1,5})$/.exec(
    text.toLowerCase(),
  )
  const [name, port] = [match?.[1], Number(match?.[2])]
  const validName = name !== undefined && (!name.startsWith('[') || isIP(name.slice(1, -1)) === 6)
  if (!validName || port < 1 || port > 65_535) {
    throw new AppError(
      'INVALID_INPUT',
      `--allow-ui-host expects a host and port, for example build.example:4780, not "${text}".`,
    )
  }
  return { name, port }
}

/** Returns the Host and Origin values of browsers behind a proxy, which may use HTTPS. */
function hostsBehindProxy({
  name,
  port,
}: {
  readonly name: string
  readonly port: number
}): AllowedHost[] {
  const hostWithPort = `${name}:${port}`
  if (port === 80) return [{ host: name, origins: [`http://${name}`] }]
  if (port === 443) return [{ host: name, origins: [`https://${name}`] }]
  return [{ host: hostWithPort, origins: [`http://${hostWithPort}`, `https://${hostWithPort}`] }]
}

/**
 * Returns the hosts that mean this Countersign: loopback names, the address, and `--allow-ui-host`.
 */
function allowedHosts(
  bound: BindAddress,
  port: number,
  extra: readonly string[],
): Map<string, readonly string[]> {
  const names = new Set(['localhost'])
  if (!bound.address.includes(':') || bound.any) names.add('127.0.0.1')
  if (bound.address === '::1' || bound.address === '::') names.add('[::1]')
  names.add(urlHost(bound.address))
  const own = [...names].map((name) => {
    const host = port === 80 ? name : `${name}:${port}`
    return { host, origins: [`http://${host}`] }
  })
  return new Map(
    [...own, ...extra.map(parseAllowedHost).flatMap(hostsBehindProxy)].map(({ host, origins }) => [
      host,
      origins,
    ]),
  )
}

/** Returns all values of a header as sent; Node keeps only the first Host. */
function rawValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name)
      values.push(request.rawHeaders[index + 1] ?? '')
  }
  return values
}

/** Creates the policy for `bound` and `port`. Throws `INVALID_INPUT` for an invalid `extra`. */
export function createHostPolicy(
  bound: BindAddress,
  port: number,
  extra: readonly string[],
): HostPolicy {
  const allowed = allowedHosts(bound, port, extra)

  const originsFor = (request: IncomingMessage): readonly string[] => {
    const hosts = rawValues(request, 'host')
    return (hosts.length === 1 ? allowed.get(hosts[0] ?? '') : undefined) ?? []
  }

  return {
    // The host in an absolute-form target could differ from the header, so only paths are allowed.
    allowsHost: (request) =>
      originsFor(request).length > 0 && request.url?.startsWith('/') === true,
    originOf(request) {
      const [origin = '', ...otherOrigins] = rawValues(request, 'origin')
      return otherOrigins.length === 0 && originsFor(request).includes(origin) ? origin : null
    },
  }
}
