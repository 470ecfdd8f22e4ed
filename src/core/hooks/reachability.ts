/**
 * Warns about a URL before it is registered (section 2.1): it isn't a public address, or its certificate isn't valid. Warnings, not
 * errors, because the service decides and a tunnel may start later. And reads the public URL that hooks are registered under.
 */
import { lookup } from 'node:dns/promises'
import type { z } from 'zod'
import type { hookFindingSchema } from '../../shared/model/hook.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isAddress, isNotPublic } from '../service-api/connection.ts'

export type HookWarning = z.infer<typeof hookFindingSchema>

export interface ReachabilityDeps {
  /** Why the certificate at a URL isn't valid; null if it is, or if no certificate was shown. */
  findCertificateProblem(url: string): Promise<string | null>
  /** Resolves a name, by default with the system. Rejects if it can't be resolved. */
  addressesOf?(host: string): Promise<readonly string[]>
}

function warning(rule: string, message: string): HookWarning {
  return { rule, section: '2.1', field: 'url', message }
}

async function lookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Checks the address and the certificate without a request, because the URL may be the receiver's own. Never rejects. */
export async function checkReachability(
  url: string,
  { findCertificateProblem, addressesOf = lookUp }: ReachabilityDeps,
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

/**
 * The URL without trailing slashes. Throws `INVALID_INPUT` if hooks can't be registered under it: the service only calls HTTPS
 * (section 2.1), and hook paths are appended.
 */
export function readPublicAddress(given: string): string {
  const refuse = (why: string) => new AppError('INVALID_INPUT', why, { details: { field: 'url' } })
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null)
    throw refuse(
      `\`${given}\` isn't a valid URL. Paste a complete URL, such as https://quiet-lake.tunnel.example.`,
    )
  if (url.protocol !== 'https:')
    throw refuse(
      `The service only calls HTTPS (spec 2.1), and this URL begins with ${url.protocol}//. Use https://.`,
    )
  if (url.username !== '' || url.password !== '')
    throw refuse('Remove the user name before the host.')
  if (given.includes('?') || given.includes('#'))
    throw refuse(
      "Each hook's path is added to this URL, so it can't have a query or fragment. Remove everything from ? or #.",
    )
  return given.replace(/\/+$/, '')
}
