/** Consent to send to remote hosts, and to change or sign for live environments. */
import { z } from 'zod'

/** Consent to a call: stored by the window's user, or given with a command. */
export interface Consent {
  readonly allowHosts: readonly string[]
  /** All live environments, or those allowed by name. */
  readonly live: boolean | readonly string[]
}

export const consentSubjectSchema = z.object({
  about: z.enum(['host', 'environment']),
  name: z.string().regex(/^[^\s/?#@\\]+$/),
})
export type ConsentSubject = z.infer<typeof consentSubjectSchema>

export const keptConsentSchema = consentSubjectSchema.extend({ givenAt: z.iso.datetime() })
export type KeptConsent = z.infer<typeof keptConsentSchema>

export function withoutConsent(
  environments: readonly string[],
  { live }: Pick<Consent, 'live'>,
): string[] {
  return environments.filter((name) => !(typeof live === 'boolean' ? live : live.includes(name)))
}
