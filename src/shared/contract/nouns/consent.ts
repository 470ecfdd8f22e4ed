/** Commands about lasting consent, which only the window's user gives. */
import { z } from 'zod'
import { consentSubjectSchema, keptConsentSchema } from '../../model/consent.ts'
import { command, nothing } from './command.ts'

const consents = z.object({ consents: z.array(keptConsentSchema) })

export const consentCommands = {
  'consent.list': command(nothing, consents),
  /** Fails with `UNSUPPORTED` unless the window calls. */
  'consent.give': command(z.object({ subjects: z.array(consentSubjectSchema) }), nothing),
  'consent.forget': command(consentSubjectSchema.partial(), consents),
} as const
