/** A hook: one URL registered for one event, with the secret that its deliveries are signed with (sections 1, 2.1 and 4 of the interface). */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

export const hookKindSchema = z.enum(['brand', 'program'])
export type HookKind = z.infer<typeof hookKindSchema>

/** `gone`: deleted elsewhere, as an answer of the service told. `unconfirmed`: the call that made it got no answer. */
export const hookStatusSchema = z.enum(['active', 'deleted', 'gone', 'unconfirmed'])

export const hookSchema = z.object({
  id: z.string(),
  /** The service's own id; null where it is not known. */
  remoteId: z.string().nullable(),
  /** Null for events whose registration the interface does not show. */
  kind: hookKindSchema.nullable(),
  event: z.string(),
  /** The registered URL, verbatim: signatures are over exactly this text. */
  url: z.string(),
  programId: z.string().nullable(),
  offerId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  environment: z.string(),
  mode: modeSchema,
  /** Where the receiver expects its deliveries: path and query of the URL. */
  path: z.string(),
  status: hookStatusSchema,
  createdAt: z.iso.datetime(),
  /** Last four characters of the present secret; null where this host cannot open it. */
  secretHint: z.string().nullable(),
})
export type Hook = z.infer<typeof hookSchema>

/** What a user gives to record a hook that was made elsewhere. */
export const hookImportSchema = z.object({
  event: z.string().min(1),
  url: z.string().min(1),
  secret: z.string().min(1),
  programId: z.string().optional(),
  offerId: z.string().optional(),
  /** By default the current environment. */
  environment: z.string().optional(),
})
export type HookImport = z.infer<typeof hookImportSchema>
