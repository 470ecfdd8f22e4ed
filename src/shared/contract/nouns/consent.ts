/** Commands about consent to remote hosts and live environments, which only the window's user gives for longer than one call. */
import { z } from 'zod'
import { keptConsentSchema } from '../../model/consent.ts'
import { command, nothing } from './command.ts'

const named = keptConsentSchema.omit({ givenAt: true })
const consents = z.object({ consents: z.array(keptConsentSchema) })

export const consentCommands = {
  'consent.list': command(nothing, consents),
  /** Keeps consent. From anything but the window it fails with `UNSUPPORTED`. */
  'consent.give': command(z.object({ consents: z.array(named).min(1) }), consents),
  /** Revokes consent, by default all. Returns what was revoked. */
  'consent.forget': command(named.partial(), consents),
} as const
