/**
 * Header names that include the service's own name, by an environment's prefix (sections 4.3, 4.4
 * and 5).
 */
export const DEFAULT_PREFIX = 'service'

/** Prefix without `x-`; no flags, which JSON Schema lacks. */
export const PREFIX = /^(?![Xx]-)[A-Za-z][A-Za-z0-9-]{0,31}$/

export type HeaderNames = ReturnType<typeof namesWith>

function namesWith(prefix: string) {
  return {
    signature: `x-${prefix}-signature`,
    timestamp: `x-${prefix}-timestamp`,
    /** Secret key of an API request (section 5.1). */
    key: `${prefix}-key`,
    /** Notification ID of some services, not in the spec. */
    messageId: `${prefix}-message-id`,
    /** Attempt number of some services, not in the spec. */
    attemptNumber: `${prefix}-attempt-number`,
  } as const
}

/** Cache, because each request needs them. */
const namesOfPrefixes = new Map<string, HeaderNames>()

/** Returns the lower-case names under a prefix. */
export function headerNames(prefix: string): HeaderNames {
  const names = namesOfPrefixes.get(prefix) ?? namesWith(prefix.toLowerCase())
  namesOfPrefixes.set(prefix, names)
  return names
}

/** Lists the prefixes of complete pairs of signature and timestamp headers (section 4.3). */
export function signedPrefixes(
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  return [...names].flatMap((name) => {
    const prefix = /^x-([a-z][a-z0-9-]{0,31})-signature$/.exec(name)?.[1]
    return prefix !== undefined && names.has(headerNames(prefix).timestamp) ? [prefix] : []
  })
}

/**
 * Returns the signing prefix: of the hook's environment, the handler, or the current environment.
 */
export function signingPrefix(
  environmentOf: (name?: string) => { readonly prefix: string } | undefined,
  signer: {
    readonly hook?: { readonly environment: string } | null | undefined
    readonly handler?: { readonly prefix: string | null } | null | undefined
  },
): string {
  const { hook, handler } = signer
  const own = hook == null ? handler?.prefix : environmentOf(hook.environment)?.prefix
  return own ?? environmentOf()?.prefix ?? DEFAULT_PREFIX
}
