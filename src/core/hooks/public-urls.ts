/** Checks the public URLs that hooks are registered under (section 2.1). */
import { lookup } from 'node:dns/promises'
import type { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { hookFindingSchema } from '../../shared/model/hook.ts'
import { isAddress, isNotPublic } from '../service-api/public-addresses.ts'

export type HookWarning = z.infer<typeof hookFindingSchema>

export interface ReachabilityDeps {
  findCertificateProblem(url: string): Promise<string | null>
  addressesOf?(host: string): Promise<readonly string[]>
}

function warning(rule: string, message: string): HookWarning {
  return { rule, section: '2.1', field: 'url', message }
}

async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/**
 * Warns if the service can't reach a URL, without a request, which might reach the receiver itself.
 * Never rejects.
 */
export async function checkReachability(
  url: string,
  { findCertificateProblem, addressesOf = resolveHost }: ReachabilityDeps,
): Promise<HookWarning[]> {
  if (!URL.canParse(url)) return []
  const hostname = new URL(url).hostname.replaceAll(/^\[|\]$/g, '')
  try {
    const hidden = (isAddress(hostname) ? [hostname] : await addressesOf(hostname)).find(
      isNotPublic,
    )
    if (hidden !== undefined) {
      const what =
        hostname === hidden ? `${hostname}, which` : `${hostname} resolves to ${hidden}, which`
      return [
        warning(
          'url-not-public',
          `The URL points to ${what} the service can't reach. Use a tunnel, and register its public URL.`,
        ),
      ]
    }
  } catch {
    return [
      warning('url-unknown-host', `${hostname} can't be resolved, so the service can't reach it.`),
    ]
  }
  const problem = await findCertificateProblem(url)
  // The service decides what it trusts (section 2.1), so our own CA doesn't help.
  const advice =
    'The service only accepts valid certificates. Use one from a public CA, or a tunnel.'
  return problem === null ? [] : [warning('url-certificate', `${problem} ${advice}`)]
}

/** Throws `INVALID_INPUT` unless hook paths can be appended to the HTTPS URL (section 2.1). */
export function readPublicAddress(given: string): string {
  const refused = (why: string) => new AppError('INVALID_INPUT', why, { details: { field: 'url' } })
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null)
    throw refused(
      `\`${given}\` isn't a valid URL. Paste a complete URL, such as https://quiet-lake.tunnel.example.`,
    )
  if (url.protocol !== 'https:')
    throw refused(
      `The service only calls HTTPS (spec 2.1), and this URL begins with ${url.protocol}//. Use https://.`,
    )
  if (url.username !== '' || url.password !== '')
    throw refused('Remove the user name before the host.')
  if (given.includes('?') || given.includes('#'))
    throw refused(
      "Each hook's path is added to this URL, so it can't have a query or fragment. Remove everything from ? or #.",
    )
  return given.replace(/(?<!\/)\/+$/, '')
}
