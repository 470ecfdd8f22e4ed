/**
 * The handler check: which requests were sent to the developer's endpoint, what was expected and what it returned. Defines a run,
 * its options, its progress and its result.
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { literalsSchema, sendFailureKindSchema } from './send.ts'
import { shownEventTypes } from '../service/event-type.ts'

export const checkGroupSchema = z.enum([
  'genuine',
  'payload',
  'forged',
  'time',
  'duplicates',
  'robustness',
  'speed',
])
export type CheckGroup = z.infer<typeof checkGroupSchema>

/** Case groups, in the order they are run and shown. */
export const checkGroups: Readonly<Record<CheckGroup, string>> = {
  genuine: 'Accepts valid deliveries',
  payload: 'Handles every payload',
  forged: 'Rejects forged deliveries',
  time: 'Rejects old or future timestamps',
  duplicates: 'Handles duplicates and concurrency',
  robustness: 'Handles unusual requests',
  speed: 'Responds in time',
}

/** The case that decides what the others prove. It is always sent, even if not selected. */
export const FIRST_CASE = 'first-delivery'

/** `critical`: loses deliveries or accepts forged ones. `major`: will fail in production sooner or later. `minor`: worth fixing. */
export const checkSeveritySchema = z.enum(['critical', 'major', 'minor'])

/** Describes a case, independent of its outcome. */
export const checkCaseSchema = z.object({
  name: z.string(),
  group: checkGroupSchema,
  title: z.string(),
  severity: checkSeveritySchema,
  /** Section of the spec with the rule. */
  section: z.string(),
  /** What the case sends, in words. */
  sends: z.string(),
  expected: z.string(),
  why: z.string(),
  fix: z.string(),
})
export type CheckCase = z.infer<typeof checkCaseSchema>

/** One request exactly as it was sent, with up to 16 KiB of its body. Values of custom headers are masked. */
export const checkRequestSchema = z.object({
  /** Which request of its case this is. */
  label: z.string(),
  method: z.string(),
  url: z.string(),
  signedUrl: z.string(),
  headers: rawHeadersSchema,
  body: z.string(),
  bodySize: z.number().int(),
})

export const checkAnswerSchema = z.object({
  /** Null if there was no response; `error` then says why. */
  status: z.number().int().nullable(),
  ms: z.number(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  headers: rawHeadersSchema,
  /** The first 2 KiB. */
  body: z.string(),
  /** Whether the response began before the request was fully sent. */
  early: z.boolean(),
  /** False if no connection could be made. */
  connected: z.boolean().optional(),
})
export type CheckAnswer = z.infer<typeof checkAnswerSchema>

export const checkExchangeSchema = z.object({ sent: checkRequestSchema, got: checkAnswerSchema })
export type CheckExchange = z.infer<typeof checkExchangeSchema>

/** A mistake of the endpoint's that its responses to the first delivery prove. */
export const checkFindingSchema = z.object({
  /**
   * `family:detail`: as in a diagnosis, `null:FIELD`, `absent:FIELD`, `field:FIELD` or
   * `event:EVENT` if the payload is the reason, `header:NAME`, or `unsteady:once`.
   */
  cause: z.string(),
  what: z.string(),
  fix: z.string(),
})
export type CheckFinding = z.infer<typeof checkFindingSchema>

export const checkResultSchema = checkCaseSchema.extend({
  outcome: z.enum(['pass', 'fail', 'skip']),
  /** One sentence: what the endpoint returned, or why the case was skipped or inconclusive. */
  message: z.string(),
  /** A concern about a case that passed. */
  warning: z.string().nullable(),
  /**
   * For the first delivery, if it fails: mistakes in the order in which the endpoint runs into them. `exchanges` has the first
   * delivery, then one like it without the first mistake, then one without the first two, and so on.
   */
  findings: z.array(checkFindingSchema).optional(),
  /** For the first delivery, if it fails: the event that the endpoint accepts, which the other cases send. */
  accepted: z.enum(shownEventTypes).optional(),
  /**
   * For the first delivery, if it fails: values with which the endpoint accepts it, which the other
   * cases have too.
   */
  set: literalsSchema.optional(),
  /** The outcome is based on the `decisive` one. */
  exchanges: z.array(checkExchangeSchema),
  decisive: z.number().int().nullable(),
})
export type CheckResult = z.infer<typeof checkResultSchema>

/** A conclusion from several outcomes: the one mistake that explains them. */
export const checkConclusionSchema = z.object({
  cause: z.enum([
    'unreachable',
    'unreadable',
    'single-pass',
    'host-url',
    'other-recipe',
    'other-headers',
    'unsteady',
    'wrong-unit',
    'after-signature',
    'answers-alike',
    'needs-message-id',
    'unequal-lengths',
    'refuses-all',
    'not-acknowledged',
    'redirects',
    'fails',
    'crashes',
    'rejects-payload',
    'reserialised',
    'no-check',
    'answers-first',
    'no-time',
  ]),
  message: z.string(),
  fix: z.string(),
  /** Names of the cases it explains. */
  cases: z.array(z.string()),
})
export type CheckConclusion = z.infer<typeof checkConclusionSchema>

/** Options of a run. The secret is never stored with them. */
export const checkSettingsSchema = z.object({
  target: z.string(),
  /** The URL that is signed. */
  registeredUrl: z.string(),
  /**
   * The hooks whose secrets sign the requests, one for each event; empty if the secret was given.
   */
  hookIds: z.array(z.string()).default([]),
  /** Values set in every payload that has the field, as JSON texts by path. */
  literals: literalsSchema.default({}),
  /** Prefix of the header names. */
  prefix: z.string(),
  ack: z.enum(['200', '2xx']),
  /** Names of custom headers added to every request (section 4.3). */
  headerNames: z.array(z.string()),
  /** Events that the endpoint handles. */
  events: z.array(z.string()),
  only: z.array(z.string()),
  skip: z.array(z.string()),
  /** Requests per second. */
  rate: z.number(),
  seed: z.number().int(),
  /** Whether live-mode payloads are allowed. */
  live: z.boolean(),
  targetCa: z.string().nullable(),
})
export type CheckSettings = z.infer<typeof checkSettingsSchema>

export const checkSummarySchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  ...checkSettingsSchema.omit({ targetCa: true }).shape,
  state: z.enum(['running', 'done', 'cancelled', 'interrupted']),
  /** Why it stopped early, if known. */
  problem: z.string().nullable(),
  /** Maximum number of requests. */
  requests: z.number().int(),
  /** The host that receives the requests; null for this computer. */
  otherHost: z.string().nullable(),
  /** Cases in the run, and cases finished. */
  total: z.number().int(),
  ended: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  /** From 0 to 100, weighted over the conclusive cases; null if there are none, or if a critical case fails. */
  score: z.number().nullable(),
})
export type CheckSummary = z.infer<typeof checkSummarySchema>

/** Compared with the previous run against the same target. */
export const checkComparisonSchema = z.object({
  runId: z.string(),
  createdAt: z.iso.datetime(),
  /** Names of cases. */
  newlyFailing: z.array(z.string()),
  fixed: z.array(z.string()),
})
export type CheckComparison = z.infer<typeof checkComparisonSchema>

export const checkRunSchema = checkSummarySchema.extend({
  /** Finished cases, in order. */
  results: z.array(checkResultSchema),
  waiting: z.array(checkCaseSchema),
  conclusions: z.array(checkConclusionSchema),
  comparison: checkComparisonSchema.nullable(),
})
export type CheckRun = z.infer<typeof checkRunSchema>

/** Why the check couldn't run: the endpoint is unreachable. Null otherwise. */
export function unreachableReason(
  conclusions: readonly Pick<CheckConclusion, 'cause' | 'fix'>[],
): string | null {
  return conclusions.find(({ cause }) => cause === 'unreachable')?.fix ?? null
}

export function countOutcomes(results: readonly Pick<CheckResult, 'outcome'>[]): {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
} {
  const count = (wanted: CheckResult['outcome']) =>
    results.filter(({ outcome }) => outcome === wanted).length
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}

/**
 * The fix for a case; null if there is no problem or no known fix. The fix for the first delivery comes from its conclusion,
 * because the case's own text always describes the signing method.
 */
export function fixOf(
  { name, outcome, warning, fix }: Pick<CheckResult, 'name' | 'outcome' | 'warning' | 'fix'>,
  conclusions: readonly Pick<CheckConclusion, 'cases' | 'fix'>[],
): string | null {
  if (outcome === 'skip' || (outcome === 'pass' && warning === null)) return null
  const ofFirst =
    name === FIRST_CASE ? conclusions.find(({ cases }) => cases.includes(FIRST_CASE)) : undefined
  return ofFirst?.fix ?? fix
}

/** Whether a conclusion already says why this case got no response, with the fix. */
export function isExplained(
  {
    name,
    exchanges,
    decisive,
  }: Pick<CheckResult, 'name' | 'decisive'> & {
    readonly exchanges: readonly { readonly got: Pick<CheckAnswer, 'status' | 'error'> }[]
  },
  conclusions: readonly Pick<CheckConclusion, 'cases' | 'fix'>[],
): boolean {
  const got = exchanges[decisive ?? 0]?.got
  return (
    got?.status === null &&
    conclusions.some(({ cases, fix }) => cases.includes(name) && fix === got.error)
  )
}

/** How severe a case is if it failed or warns; null if it passed or was skipped. */
export function severityOf({
  outcome,
  warning,
  severity,
}: Pick<CheckResult, 'outcome' | 'warning' | 'severity'>) {
  return outcome === 'fail' || (outcome === 'pass' && warning !== null) ? severity : null
}

const weights = { critical: 5, major: 3, minor: 1 } as const

/**
 * Share of the conclusive cases that passed, by weight, from 0 to 100, rounded down. Null while a critical case fails or the
 * endpoint is unreachable: a number would play down lost or forged deliveries.
 */
export function scoreOf(
  results: readonly Pick<CheckResult, 'severity' | 'outcome'>[],
): number | null {
  if (results.some(({ severity, outcome }) => outcome === 'fail' && severity === 'critical'))
    return null
  const weigh = (all: typeof results) =>
    all.reduce((sum, { severity }) => sum + weights[severity], 0)
  const judged = weigh(results.filter(({ outcome }) => outcome !== 'skip'))
  return judged === 0
    ? null
    : Math.floor((100 * weigh(results.filter(({ outcome }) => outcome === 'pass'))) / judged)
}
