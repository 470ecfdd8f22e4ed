/**
 * Commands about consent to remote hosts and live environments, which only the window's user gives
 * for longer than one call.
 */
import { z } from 'zod'
import { consentSubjectSchema, keptConsentSchema } from '../../model/consent.ts'
import { command, nothing } from './command.ts'

const consents = z.object({ consents: z.array(keptConsentSchema) })

export const consentCommands = {
  'consent.list': command(nothing, consents),
  /** Fails with `UNSUPPORTED` unless the window calls. */
  'consent.give': command(z.object({ subjects: z.array(consentSubjectSchema) }), nothing),
  /** Revokes consent, by default all. Returns the revoked. */
  'consent.forget': command(consentSubjectSchema.partial(), consents),
} as const
