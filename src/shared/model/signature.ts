/** A signature explained: the recipe of section 5.2 with each intermediate value, and why it does not match where it does not. */
import { z } from 'zod'
import { freshnessSchema, verdictSchema } from './delivery.ts'

export const diagnosisFamilies = ['secret', 'passes', 'encoding', 'body', 'url', 'timestamp', 'order'] as const

/** The shortest explanation found for a signature that does not match. `cause` is `family:detail`; see `docs/diagnosis.md`. */
export const diagnosisSchema = z.object({ cause: z.string(), message: z.string(), fix: z.string() })
export type Diagnosis = z.infer<typeof diagnosisSchema>

export const signatureReportSchema = z.object({
  verdict: verdictSchema,
  freshness: freshnessSchema,
  /** The registered URL that the expected signature is over; null where no hook is known for the delivery. */
  url: z.string().nullable(),
  /** The timestamp header's value as received. */
  timestamp: z.string().nullable(),
  /** Age of the timestamp at receipt, in milliseconds; negative in the future. */
  ageMs: z.number().nullable(),
  /** The signature header's value as received. */
  received: z.string().nullable(),
  /** Base-64 of the second pass; null where there is no secret to compute it with. */
  expected: z.string().nullable(),
  /** Base-64 of the first pass. */
  inner: z.string().nullable(),
  bodySize: z.number().int(),
  /** Index of the first character in which `received` and `expected` differ; null where they are equal or one is missing. */
  firstDifference: z.number().int().nullable(),
  /** The hook whose secret was used, and the last four characters of that secret. */
  hookId: z.string().nullable(),
  secretHint: z.string().nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type SignatureReport = z.infer<typeof signatureReportSchema>
