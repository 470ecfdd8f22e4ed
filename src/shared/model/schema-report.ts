/** What the check of a captured payload against its event says (section 2 of the interface). */
import { z } from 'zod'
import { schemaOutcomeSchema } from './delivery.ts'

const noteSchema = z.object({
  /** Where in the payload, as `location.geolocation.latitude`; empty for the whole. */
  path: z.string(),
  message: z.string(),
  /** Section of the interface, as `2.6`. */
  section: z.string(),
})

export const schemaReportSchema = z.object({
  /** The event that it was held against; null where that is not known. */
  event: z.string().nullable(),
  outcome: schemaOutcomeSchema,
  /** What is missing or of the wrong type. */
  failures: z.array(noteSchema),
  /** What is worth a look, and leaves the outcome as it is. */
  findings: z.array(noteSchema),
})
export type SchemaReport = z.infer<typeof schemaReportSchema>
