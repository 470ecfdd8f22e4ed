/** The result of checking a captured payload against its event's schema (section 2 of the spec). */
import { z } from 'zod'
import { schemaOutcomeSchema } from './delivery.ts'

const noteSchema = z.object({
  /** Path in the payload, such as `location.geolocation.latitude`; empty for the whole. */
  path: z.string(),
  message: z.string(),
  /** Section of the spec, such as `2.6`. */
  section: z.string(),
})

export const schemaReportSchema = z.object({
  /** The event whose schema was used; null if unknown. */
  event: z.string().nullable(),
  outcome: schemaOutcomeSchema,
  /** Missing fields and wrong types. */
  failures: z.array(noteSchema),
  /** Findings that don't affect the outcome. */
  findings: z.array(noteSchema),
})
export type SchemaReport = z.infer<typeof schemaReportSchema>
