/** Handler check: its cases, options, progress and result. */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { handlerCausesSchema } from './handler-causes.ts'
import { literalsSchema, sendFailureKindSchema } from './send.ts'
import { shownEventTypes } from '../service/event-type.ts'

export const checkGroupSchema = z.enum([
  'valid',
  'payload',
  'forged',
  'time',
  'duplicates',
  'robustness',
  'speed',
])
export type CheckGroup = z.infer<typeof checkGroupSchema>

export const checkGroups: Readonly<Record<CheckGroup, string>> = {
  valid: 'Accepts valid deliveries',
  payload: 'Handles every payload',
  forged: 'Rejects forged deliveries',
  time: 'Rejects old or future timestamps',
  duplicates: 'Handles duplicates and concurrency',
  robustness: 'Handles unusual requests',
  speed: 'Responds in time',
}

/** Case that decides what the others prove; always sent. */
export const FIRST_CASE = 'first-delivery'
/** The case with a live-mode payload, skipped for test handlers by default. */
export const PROGRAM_CASE = 'program'

/**
 * `critical`: loses deliveries or accepts forged ones. `major`: will fail in production. `minor`:
 * worth fixing.
 */
export const checkSeveritySchema = z.enum(['critical', 'major', 'minor'])

export const checkCaseSchema = z.object({
  name: z.string(),
  group: checkGroupSchema,
  title: z.string(),
  severity: checkSeveritySchema,
  section: z.string(),
  sends: z.string(),
  expected: z.string(),
  why: z.string(),
  fix: z.string(),
})
export type CheckCase = z.infer<typeof checkCaseSchema>

/** Request exactly as sent, with up to 16 KiB of its body; custom headers are masked. */
export const checkRequestSchema = z.object({
  label: z.string(),
  method: z.string(),
  url: z.string(),
  signedUrl: z.string(),
  headers: rawHeadersSchema,
  body: z.string(),
  bodySize: z.number().int(),
})

export const checkAnswerSchema = z.object({
  status: z.number().int().nullable(),
  ms: z.number(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  headers: rawHeadersSchema,
  /** The first 2 KiB. */
  body: z.string(),
  /** The response began before the request was fully sent. */
  early: z.boolean(),
  connected: z.boolean().optional(),
})
export type CheckAnswer = z.infer<typeof checkAnswerSchema>

export const checkExchangeSchema = z.object({ sent: checkRequestSchema, got: checkAnswerSchema })
export type CheckExchange = z.infer<typeof checkExchangeSchema>

export const checkFindingSchema = z.object({
  /**
   * `family:detail`: as in a diagnosis, or `null:`, `absent:` or `field:` with a field,
   * `event:EVENT`, `header:NAME`, `unsteady:once`.
   */
  cause: z.string(),
  what: z.string(),
  fix: z.string(),
})
export type CheckFinding = z.infer<typeof checkFindingSchema>

export const checkResultSchema = checkCaseSchema.extend({
  outcome: z.enum(['pass', 'fail', 'skip']),
  /** Response, or why the case was skipped or inconclusive. */
  message: z.string(),
  warning: z.string().nullable(),
  /**
   * Mistakes of a failed first delivery. `exchanges` has the delivery, then copies without the
   * first mistake, the first two, and so on.
   */
  findings: z.array(checkFindingSchema).optional(),
  accepted: z.enum(shownEventTypes).optional(),
  /** Values that the endpoint accepts, for the other cases. */
  set: literalsSchema.optional(),
  exchanges: z.array(checkExchangeSchema),
  decisive: z.number().int().nullable(),
})
export type CheckResult = z.infer<typeof checkResultSchema>

export const checkConclusionSchema = z.object({
  cause: z.enum([
    'unreachable',
    'unreadable',
    'redirects',
    'not-acknowledged',
    'answers-alike',
    'after-signature',
    'fails',
    'refuses-all',
    'single-pass',
    'host-url',
    'other-signing-method',
    'other-headers',
    'wrong-unit',
    'crashes',
    'rejects-payload',
    'unsteady',
    'needs-message-id',
    'unequal-lengths',
    'reserialised',
    'no-check',
    'answers-first',
    'no-time',
  ]),
  message: z.string(),
  fix: z.string(),
  cases: z.array(z.string()),
})
export type CheckConclusion = z.infer<typeof checkConclusionSchema>

/** Options of a run, stored without its secret. */
export const checkSettingsSchema = z.object({
  target: z.string(),
  registeredUrl: z.string(),
  /** Signing hooks, one for each event; empty if the secret was given. */
  hookIds: z.array(z.string()).default([]),
  /** JSON texts by path, set in every payload that has the field. */
  literals: literalsSchema.default({}),
  prefix: z.string(),
  ack: z.enum(['200', '2xx']),
  headerNames: z.array(z.string()),
  events: z.array(z.string()),
  only: z.array(z.string()),
  skip: z.array(z.string()),
  rate: z.number(),
  seed: z.number().int(),
  live: z.boolean(),
  targetCa: z.string().nullable(),
})
export type CheckSettings = z.infer<typeof checkSettingsSchema>

export const checkSummarySchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  ...checkSettingsSchema.omit({ targetCa: true }).shape,
  state: z.enum(['running', 'done', 'cancelled', 'interrupted']),
  problem: z.string().nullable(),
  requests: z.number().int(),
  /** Remote host; null for this computer. */
  otherHost: z.string().nullable(),
  total: z.number().int(),
  ended: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  /** Number from `scoreOf`. */
  score: z.number().nullable(),
})
export type CheckSummary = z.infer<typeof checkSummarySchema>

export const checkComparisonSchema = z.object({
  runId: z.string(),
  createdAt: z.iso.datetime(),
  newlyFailing: z.array(z.string()),
  fixed: z.array(z.string()),
})
export type CheckComparison = z.infer<typeof checkComparisonSchema>

export const checkRunSchema = checkSummarySchema.extend({
  results: z.array(checkResultSchema),
  waiting: z.array(checkCaseSchema),
  conclusions: z.array(checkConclusionSchema),
  /** Causes of the failures: of the handler's other ones too, if this is its last check. */
  explained: handlerCausesSchema,
  comparison: checkComparisonSchema.nullable(),
})
export type CheckRun = z.infer<typeof checkRunSchema>

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
  const count = (counted: CheckResult['outcome']) =>
    results.filter(({ outcome }) => outcome === counted).length
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}

/** Returns the fix for a case, if needed. The first delivery's comes from its conclusion. */
export function fixOf(
  { name, outcome, warning, fix }: Pick<CheckResult, 'name' | 'outcome' | 'warning' | 'fix'>,
  conclusions: readonly Pick<CheckConclusion, 'cases' | 'fix'>[],
): string | null {
  if (outcome === 'skip' || (outcome === 'pass' && warning === null)) return null
  const ofFirst =
    name === FIRST_CASE ? conclusions.find(({ cases }) => cases.includes(FIRST_CASE)) : undefined
  return ofFirst?.fix ?? fix
}

/** Whether a conclusion already explains why this case got no response. */
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

export function severityOf({
  outcome,
  warning,
  severity,
}: Pick<CheckResult, 'outcome' | 'warning' | 'severity'>) {
  return outcome === 'fail' || (outcome === 'pass' && warning !== null) ? severity : null
}

const weights = { critical: 5, major: 3, minor: 1 } as const

/**
 * Returns the passed share of conclusive cases by weight, 0 to 100, rounded down; null if a
 * critical case fails, because a number would play that down.
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
