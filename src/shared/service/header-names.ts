/**
 * The header names that include the service's name. The spec writes the neutral word `service` instead; each environment has its
 * own prefix (sections 4.3, 4.4 and 5).
 */

export const DEFAULT_PREFIX = 'service'

export interface HeaderNames {
  /** Headers of a delivery (section 4.4). */
  readonly signature: string
  readonly timestamp: string
  /** Carries the secret key of a request to the API (section 5.1). */
  readonly key: string
  /** Identifies the notification in the deliveries of some services; the spec doesn't show it, and nothing depends on it. */
  readonly messageId: string
}

/** One prefix per environment, so few in all, and needed for each request. */
const namesOfPrefixes = new Map<string, HeaderNames>()

/** The names under a prefix, in lower case: header names are case-insensitive. */
export function headerNames(prefix: string): HeaderNames {
  let names = namesOfPrefixes.get(prefix)
  if (names === undefined) {
    const name = prefix.toLowerCase()
    names = {
      signature: `x-${name}-signature`,
      timestamp: `x-${name}-timestamp`,
      key: `${name}-key`,
      messageId: `${name}-message-id`,
    }
    namesOfPrefixes.set(prefix, names)
  }
  return names
}
