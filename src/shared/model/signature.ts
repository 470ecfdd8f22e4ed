/** An explained signature: the calculation of section 5.2 with every intermediate value, and why it doesn't match. */
import { z } from 'zod'
import { headerNames } from '../service/header-rules.ts'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'

/**
 * The shortest explanation found for a signature that doesn't match, or for the wrong unit in a valid signature's timestamp.
 * `cause` is `family:detail`, see `docs/diagnosis.md`. `causes` lists all mistakes if there are several; `cause` is the first.
 * `signedUrl` is the URL that was signed instead of the registered one; null if that isn't the mistake.
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
  /** Whether this installation computed the verdict. If not, it is only what an imported file claims. */
  verifiedHere: z.boolean(),
  freshness: freshnessSchema,
  /** The registered URL in the expected signature; null if the delivery's hook is unknown. */
  url: z.string().nullable(),
  /** The timestamp header's value as received. */
  timestamp: z.string().nullable(),
  /** Age of the timestamp at receipt, in milliseconds; negative in the future; null if it is missing or not in milliseconds. */
  ageMs: z.number().nullable(),
  /** The signature header's value as received. */
  received: z.string().nullable(),
  /** Base64 of the second pass; null if no secret is known. */
  expected: z.string().nullable(),
  /** Base64 of the first pass. */
  inner: z.string().nullable(),
  bodySize: z.number().int(),
  /** Index of the first different character in `received` and `expected`; null if they are equal or one is missing. */
  firstDifference: z.number().int().nullable(),
  /** The hook whose secret was used, and the last four characters of that secret. */
  hookId: z.string().nullable(),
  hookEvent: z.string().nullable().default(null),
  hookDeleted: z.boolean().default(false),
  /** Whether the hook is only the likeliest of several with the delivery's path. */
  hookInferred: z.boolean(),
  /** Values sent as trailers, where they don't count, and not as headers. */
  inTrailer: z.array(z.enum(['signature', 'timestamp'])),
  secretHint: z.string().nullable(),
  /** The prefix of an unsigned delivery's signature headers, if no environment uses it, and the environment that should. */
  unknownPrefix: z
    .object({ prefix: z.string(), environment: z.string(), mode: modeSchema })
    .nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type SignatureReport = z.infer<typeof signatureReportSchema>

type UnknownPrefix = NonNullable<SignatureReport['unknownPrefix']>

/** Why a delivery with another account's header names counts as unsigned. */
export function prefixSentence({ prefix }: UnknownPrefix): string {
  return `Signed with the prefix ${prefix}, which no environment uses.`
}

/**
 * Says which header names an environment with the prefix sends, before (`then`) or after it is
 * chosen (`now`).
 */
export function prefixEffect(prefix: string, when: 'then' | 'now'): string {
  const { signature, timestamp } = headerNames(prefix)
  return `The sandbox, replays and checks ${when} send \`${signature}\` and \`${timestamp}\`.`
}

/** The command that makes an environment use the prefix. */
export function prefixCommand({ prefix, environment, mode }: UnknownPrefix): string {
  const live = mode === 'live' ? ' --live' : ''
  return `countersign environments update ${environment} --prefix ${prefix}${live}`
}

/** Why a signature or timestamp sent as a trailer doesn't count; null if neither was. */
export function trailerSentence(inTrailer: SignatureReport['inTrailer']): string | null {
  if (inTrailer.length === 0) return null
  const [what, how] =
    inTrailer.length > 1
      ? ['signature and timestamp were', 'as trailers']
      : [`${inTrailer[0]} was`, 'as a trailer']
  return `The ${what} sent ${how}, after the body. The service sends both as headers.`
}

/** A digest computed by someone's own code, and what it shows. */
export const computedDigestSchema = z.object({
  digest: z.string(),
  /** `right`: the expected signature. `explained`: a known mistake, named in `diagnosis`. */
  outcome: z.enum(['right', 'explained', 'unexplained']),
  message: z.string(),
  fix: z.string(),
  /** Whether it equals the received signature. */
  isReceived: z.boolean(),
  /** Index of the first character that differs from the expected signature. */
  firstDifference: z.number().int().nullable(),
  diagnosis: diagnosisSchema.nullable(),
})
export type ComputedDigest = z.infer<typeof computedDigestSchema>

/** A signature checked again with today's hooks and secrets, or with a given secret and URL. */
export const signatureTrialSchema = z.object({
  report: signatureReportSchema,
  /** Null if no digest was given. */
  computed: computedDigestSchema.nullable(),
})
export type SignatureTrial = z.infer<typeof signatureTrialSchema>
