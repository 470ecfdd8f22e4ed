/** Explained signature: the calculation of section 5.2, and why it doesn't match. */
import { z } from 'zod'
import { headerNames } from '../service/header-names.ts'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'

/**
 * Shortest explanation of a mismatch. `cause` is `family:detail` (`docs/diagnosis.md`), the first
 * of `causes`. `signedUrl` was signed instead of the registered URL.
 */
export const diagnosisSchema = z.object({
  cause: z.string(),
  causes: z.array(z.string()),
  message: z.string(),
  fix: z.string(),
  signedUrl: z.string().nullable().default(null),
})
export type Diagnosis = z.infer<typeof diagnosisSchema>

export const signatureReportSchema = z.object({
  verdict: verdictSchema,
  /** Computed by this installation; otherwise a file's unverified claim. */
  verifiedHere: z.boolean(),
  freshness: freshnessSchema,
  url: z.string().nullable(),
  timestamp: z.string().nullable(),
  /** Age at receipt in milliseconds, negative in the future. */
  ageMs: z.number().nullable(),
  received: z.string().nullable(),
  /** Base64 of the second pass, if a secret is known. */
  expected: z.string().nullable(),
  /** Base64 of the first pass. */
  inner: z.string().nullable(),
  bodySize: z.number().int(),
  /** Index of the first character that differs from `expected`. */
  firstDifference: z.number().int().nullable(),
  hookId: z.string().nullable(),
  hookEvent: z.string().nullable().default(null),
  hookDeleted: z.boolean().default(false),
  /** Likeliest of several hooks with the path. */
  hookInferred: z.boolean(),
  /** Values sent as trailers, where they don't count. */
  inTrailer: z.array(z.enum(['signature', 'timestamp'])),
  secretHint: z.string().nullable(),
  /** Prefix that no environment uses, and the environment that should. */
  unknownPrefix: z
    .object({ prefix: z.string(), environment: z.string(), mode: modeSchema })
    .nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type SignatureReport = z.infer<typeof signatureReportSchema>

type UnknownPrefix = NonNullable<SignatureReport['unknownPrefix']>

export function prefixSentence({ prefix }: UnknownPrefix): string {
  return `Signed with the prefix ${prefix}, which no environment uses.`
}

/** Describes the header names of a prefix, before (`then`) or after (`now`) it is chosen. */
export function prefixEffect(prefix: string, when: 'then' | 'now'): string {
  const { signature, timestamp } = headerNames(prefix)
  return `The sandbox, replays and checks ${when} send \`${signature}\` and \`${timestamp}\`.`
}

export function prefixCommand({ prefix, environment, mode }: UnknownPrefix): string {
  const live = mode === 'live' ? ' --live' : ''
  return `countersign environments update ${environment} --prefix ${prefix}${live}`
}

export function trailerSentence(inTrailer: SignatureReport['inTrailer']): string | null {
  if (inTrailer.length === 0) return null
  const [subject, place] =
    inTrailer.length > 1
      ? ['signature and timestamp were', 'as trailers']
      : [`${inTrailer[0]} was`, 'as a trailer']
  return `The ${subject} sent ${place}, after the body. The service sends both as headers.`
}

export const computedDigestSchema = z.object({
  digest: z.string(),
  /** `right`: the expected signature. `explained`: a mistake in `diagnosis`. */
  outcome: z.enum(['right', 'explained', 'unexplained']),
  message: z.string(),
  fix: z.string(),
  isReceived: z.boolean(),
  firstDifference: z.number().int().nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type ComputedDigest = z.infer<typeof computedDigestSchema>

export const signatureTrialSchema = z.object({
  report: signatureReportSchema,
  computed: computedDigestSchema.nullable(),
})
export type SignatureTrial = z.infer<typeof signatureTrialSchema>
