/** Consent to send to remote hosts, and to change or sign for live environments. */
import { z } from 'zod'

/** Consent that a call has: what the window's user has given, or the options of one command. */
export interface Consent {
  readonly allowHosts: readonly string[]
  /** All live environments, or those allowed by name. */
  readonly live: boolean | readonly string[]
}

/** Consent to a remote host or a live environment, kept until it is revoked. */
export const keptConsentSchema = z.object({
  about: z.enum(['host', 'environment']),
  name: z.string(),
  givenAt: z.iso.datetime(),
})
export type KeptConsent = z.infer<typeof keptConsentSchema>
