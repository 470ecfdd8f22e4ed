/** A hook: one URL registered for one event, with the secret that its deliveries are signed with (sections 1, 2.1 and 4 of the interface). */
import { z } from 'zod'
import { answeringRuleSchema } from './answering-rule.ts'
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
  /** Last four characters of the present secret; null where there is none, or this host cannot open it. */
  secretHint: z.string().nullable(),
  /** How many previous secrets still verify. */
  previousSecrets: z.number().int(),
  /** What the receiver answers to its deliveries. */
  answering: answeringRuleSchema,
  /** The record that the service last returned, its unknown fields kept and its secrets cut out; null where none came. */
  record: z.json().nullable(),
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
  /** The service's own id, so that the hook can be changed and deleted from here. */
  remoteId: z.string().optional(),
  /** Confirms it in a live environment. */
  live: z.boolean().default(false),
})
export type HookImport = z.infer<typeof hookImportSchema>

/** Headers that the service adds to each delivery of a hook (section 4.3). */
const customHeadersSchema = z.record(z.string(), z.string())

/** What a user gives to register a hook through the service's API. */
export const hookAddSchema = z.object({
  event: z.string().min(1),
  /** By default the receiver's own address, the public one where one is set. */
  url: z.string().optional(),
  programId: z.string().optional(),
  offerId: z.string().optional(),
  headers: customHeadersSchema.default({}),
  environment: z.string().optional(),
  /** Confirms the call in a live environment. */
  live: z.boolean().default(false),
})
export type HookAdd = z.infer<typeof hookAddSchema>

/** What is to change of a hook; what is not named is sent as last known (section 4.1: the update carries all of it). */
export const hookUpdateSchema = z.object({
  id: z.string(),
  event: z.string().optional(),
  url: z.string().optional(),
  programId: z.string().optional(),
  /** An empty object removes all custom headers (section 4.2). */
  headers: customHeadersSchema.optional(),
  live: z.boolean().default(false),
})
export type HookUpdate = z.infer<typeof hookUpdateSchema>

/** A rule that a hook breaks, or something worth knowing before it is registered. */
export const hookFindingSchema = z.object({
  rule: z.string(),
  section: z.string(),
  field: z.string(),
  message: z.string(),
})
