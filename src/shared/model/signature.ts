/** A signature explained: the recipe of section 5.2 with each intermediate value, and why it does not match where it does not. */
import { z } from 'zod'
import { freshnessSchema, verdictSchema } from './delivery.ts'

export const diagnosisFamilies = ['secret', 'passes', 'encoding', 'body', 'url', 'timestamp', 'order'] as const

/**
 * The shortest explanation found for a signature that does not match, or the wrong unit of a valid one's timestamp. `cause` is `family:detail`, see `docs/diagnosis.md`;
 * `causes` are those of all mistakes where it takes several, `cause` the first of them.
 */
export const diagnosisSchema = z.object({
  cause: z.string(),
  causes: z.array(z.string()),
  message: z.string(),
  fix: z.string(),
})
export type Diagnosis = z.infer<typeof diagnosisSchema>

export const signatureReportSchema = z.object({
  verdict: verdictSchema,
  /** Whether this installation computed the verdict; else it is only what an imported file says. */
  verifiedHere: z.boolean(),
  freshness: freshnessSchema,
  /** The registered URL that the expected signature is over; null where no hook is known for the delivery. */
  url: z.string().nullable(),
  /** The timestamp header's value as received. */
  timestamp: z.string().nullable(),
  /** Age of the timestamp at receipt, in milliseconds; negative in the future; null if the timestamp is missing or not in milliseconds. */
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
  /** What was sent as a trailer, where it does not count, and not as a header. */
  inTrailer: z.array(z.enum(['signature', 'timestamp'])),
  secretHint: z.string().nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type SignatureReport = z.infer<typeof signatureReportSchema>

/** Why a signature or timestamp that was sent as a trailer does not count; null if neither was. */
export function trailerSentence(inTrailer: SignatureReport['inTrailer']): string | null {
  if (inTrailer.length === 0) return null
  const [what, how] =
    inTrailer.length > 1 ? ['signature and timestamp were', 'as trailers'] : [`${inTrailer[0]} was`, 'as a trailer']
  return `The ${what} sent ${how}, after the body. The service sends both as headers.`
}

/** A digest that somebody's code computed for a delivery, and what is to be said of it. */
export const computedDigestSchema = z.object({
  digest: z.string(),
  /** `right`: it is the expected signature. `explained`: a known mistake makes it, and `diagnosis` names it. */
  outcome: z.enum(['right', 'explained', 'unexplained']),
  message: z.string(),
  fix: z.string(),
  /** Whether it is exactly the signature that came. */
  isReceived: z.boolean(),
  /** Index of the first character in which it differs from the expected signature. */
  firstDifference: z.number().int().nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type ComputedDigest = z.infer<typeof computedDigestSchema>

/** A signature held against what is known now, or against a secret and a URL that were given to try. */
export const signatureTrialSchema = z.object({
  report: signatureReportSchema,
  /** Null where no digest was given. */
  computed: computedDigestSchema.nullable(),
})
export type SignatureTrial = z.infer<typeof signatureTrialSchema>
