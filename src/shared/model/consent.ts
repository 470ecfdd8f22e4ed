/** Consent to send to remote hosts, and to change or sign for live environments. */
import { z } from 'zod'

/**
 * Consent of a call: of the window's calls, what the user has given; of others, the options of one
 * command.
 */
export interface Consent {
  readonly allowHosts: readonly string[]
  /** All live environments, or those allowed by name. */
  readonly live: boolean | readonly string[]
}

/** The name of a remote host or of a live environment. */
export const consentSubjectSchema = z.object({
  about: z.enum(['host', 'environment']),
  name: z.string().regex(/^[^\s/?#@\\]+$/),
})
export type ConsentSubject = z.infer<typeof consentSubjectSchema>

/** Consent that stays until the user revokes it. */
export const keptConsentSchema = consentSubjectSchema.extend({ givenAt: z.iso.datetime() })
export type KeptConsent = z.infer<typeof keptConsentSchema>

/** Returns the live environments, by name, that a call has no consent to. */
export function withoutConsent(
  environments: readonly string[],
  { live }: Pick<Consent, 'live'>,
): string[] {
  return environments.filter((name) => !(typeof live === 'boolean' ? live : live.includes(name)))
}
