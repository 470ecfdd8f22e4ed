/**
 * What is worth knowing of a URL before it is registered with a service elsewhere (section 2.1): whether it is a public address,
 * and whether its certificate verifies. Warnings, not refusals: the service decides, and a tunnel may come up later.
 */
import { lookup } from 'node:dns/promises'
import type { z } from 'zod'
import type { hookFindingSchema } from '../../shared/model/hook.ts'
import { isAddress, isNotPublic } from '../service-api/public-address.ts'

export type HookWarning = z.infer<typeof hookFindingSchema>

export interface ReachabilityDeps {
  /** Why the certificate at a URL does not verify; null where it does, or none was shown. */
  findCertificateProblem(url: string): Promise<string | null>
  /** The addresses of a name; rejects where it has none. By default the system is asked. */
  addressesOf?(host: string): Promise<readonly string[]>
}

function warning(rule: string, message: string): HookWarning {
  return { rule, section: '2.1', field: 'url', message }
}

async function lookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Looks at the address and its certificate; no request is made, since the receiver itself may be what answers there. Never rejects. */
export async function checkReachability(
  url: string,
  { findCertificateProblem, addressesOf = lookUp }: ReachabilityDeps,
): Promise<HookWarning[]> {
  if (!URL.canParse(url)) return []
  const hostname = new URL(url).hostname.replaceAll(/^\[|\]$/g, '')
  try {
    const hidden = (isAddress(hostname) ? [hostname] : await addressesOf(hostname)).find(isNotPublic)
    if (hidden !== undefined) {
      const what = hostname === hidden ? `${hostname}, which` : `${hostname} resolves to ${hidden}, which`
      return [
        warning(
          'url-not-public',
          `The URL points to ${what} the service can't reach. Use a tunnel, and register its public URL.`,
        ),
      ]
    }
  } catch {
    return [warning('url-unknown-host', `${hostname} can't be resolved, so the service can't reach it.`)]
  }
  const problem = await findCertificateProblem(url)
  // Section 2.1: what the service trusts is its own affair, so no authority of ours helps there.
  const advice = 'The service only accepts valid certificates. Use one from a public CA, or a tunnel.'
  return problem === null ? [] : [warning('url-certificate', `${problem} ${advice}`)]
}
