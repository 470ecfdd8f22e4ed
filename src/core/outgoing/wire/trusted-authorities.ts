/** Which certificate authorities a sent request trusts: those of the system, and the ones given (the machine's own among them). */
import { getCACertificates } from 'node:tls'

/** PEM texts for a TLS `ca` option: Node's own list is replaced by it, so the defaults are named too. */
export function trustedAuthorities(extra: readonly string[]): string[] {
  return [...getCACertificates('default'), ...extra]
}
