/**
 * The handler check: what was sent to a developer's own endpoint to see whether it keeps to the interface, what was expected of it
 * and what came. A run is one such check; what it asks for, how far it is and how it ended stand here.
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { sendFailureKindSchema } from './send.ts'

export const checkGroupSchema = z.enum(['genuine', 'payload', 'forged', 'time', 'duplicates', 'robustness', 'speed'])
export type CheckGroup = z.infer<typeof checkGroupSchema>

/** What each group asks, in the order in which they are run and shown. */
export const checkGroups: Readonly<Record<CheckGroup, string>> = {
  genuine: 'Accepts genuine deliveries',
  payload: 'Understands every payload',
  forged: 'Refuses forged deliveries',
  time: 'Holds to the time of the signature',
  duplicates: 'Takes duplicates and many at once',
  robustness: 'Stands what is odd',
  speed: 'Answers in time',
}

/** Name of the case that decides what the others prove; it is sent whatever is chosen. */
export const FIRST_CASE = 'first-delivery'

/** `critical`: deliveries are lost or forged ones taken. `major`: it goes wrong some day. `minor`: worth mending. */
export const checkSeveritySchema = z.enum(['critical', 'major', 'minor'])

/** What a case is, whatever came of it. */
export const checkCaseSchema = z.object({
  name: z.string(),
  group: checkGroupSchema,
  title: z.string(),
  severity: checkSeveritySchema,
  /** Of the interface, where the rule stands. */
  section: z.string(),
  /** What is sent, in words. */
  sends: z.string(),
  expected: z.string(),
  why: z.string(),
  fix: z.string(),
})
export type CheckCase = z.infer<typeof checkCaseSchema>

/** One request exactly as it went; of the body at most the first 16 KiB. Values of custom headers are masked. */
export const checkRequestSchema = z.object({
  /** Which of the requests of its case it is. */
  label: z.string(),
  method: z.string(),
  url: z.string(),
  /** The URL that the signature is over. */
  signedUrl: z.string(),
  headers: rawHeadersSchema,
  body: z.string(),
  bodySize: z.number().int(),
})

/** What came back. */
export const checkAnswerSchema = z.object({
  /** Null where no answer came; `error` then says why. */
  status: z.number().int().nullable(),
  ms: z.number(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  headers: rawHeadersSchema,
  /** The first 2 KiB. */
  body: z.string(),
  /** Whether the answer began before the last byte of the request had gone. */
  early: z.boolean(),
  /** False if no connection came about. */
  connected: z.boolean().optional(),
})
export type CheckAnswer = z.infer<typeof checkAnswerSchema>

export const checkExchangeSchema = z.object({ sent: checkRequestSchema, got: checkAnswerSchema })
export type CheckExchange = z.infer<typeof checkExchangeSchema>

/** A wrong recipe that the endpoint takes for the right one: what it accepts in place of genuine deliveries. */
export const checkFindingSchema = z.object({
  /** `family:detail`, as a diagnosis names it. */
  cause: z.string(),
  what: z.string(),
  fix: z.string(),
})
export type CheckFinding = z.infer<typeof checkFindingSchema>

/** What a handler fails on after it accepts the signature. */
export const checkCrashSchema = z.object({
  /** The field that it reads inside though it is null, as `brand.metadata`; null if no field was found. */
  field: z.string().nullable(),
  status: z.number().int(),
})
export type CheckCrash = z.infer<typeof checkCrashSchema>

export const checkResultSchema = checkCaseSchema.extend({
  outcome: z.enum(['pass', 'fail', 'skip']),
  /** One sentence: what came, or why it was not sent or not judged. */
  message: z.string(),
  /** It passes, and yet. */
  warning: z.string().nullable(),
  /** Of the first delivery, where it is refused and another recipe is accepted. */
  finding: checkFindingSchema.nullable().default(null),
  /** Of the first delivery, if the handler fails on what is in it. */
  crash: checkCrashSchema.nullable().default(null),
  /** In the order in which they went; `decisive` is the one that the outcome is about. */
  exchanges: z.array(checkExchangeSchema),
  decisive: z.number().int().nullable(),
})
export type CheckResult = z.infer<typeof checkResultSchema>

/** What the outcomes taken together say: the one mistake that explains several of them. */
export const checkConclusionSchema = z.object({
  cause: z.enum([
    'unreachable',
    'unreadable',
    'single-pass',
    'host-url',
    'other-recipe',
    'unsteady',
    'refuses-all',
    'not-acknowledged',
    'redirects',
    'fails',
    'crashes',
    'reserialised',
    'no-check',
    'answers-first',
    'no-time',
  ]),
  message: z.string(),
  fix: z.string(),
  /** Names of the cases that it explains. */
  cases: z.array(z.string()),
})
export type CheckConclusion = z.infer<typeof checkConclusionSchema>

/** What a run asks for; the secret is never part of it. */
export const checkSettingsSchema = z.object({
  target: z.string(),
  /** What is signed. */
  registeredUrl: z.string(),
  /** The hook whose secret signs; null where the secret was given. */
  hookId: z.string().nullable(),
  /** Of the header names. */
  prefix: z.string(),
  ack: z.enum(['200', '2xx']),
  /** Names of custom headers that every request carries (section 4.3). */
  headerNames: z.array(z.string()),
  /** Events that the endpoint is for. */
  events: z.array(z.string()),
  only: z.array(z.string()),
  skip: z.array(z.string()),
  /** Requests a second. */
  rate: z.number(),
  seed: z.number().int(),
  /** Whether a payload may say that it is live. */
  live: z.boolean(),
  targetCa: z.string().nullable(),
})
export type CheckSettings = z.infer<typeof checkSettingsSchema>

export const checkSummarySchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  ...checkSettingsSchema.omit({ targetCa: true }).shape,
  state: z.enum(['running', 'done', 'cancelled', 'interrupted']),
  /** Why it stopped before its end, where that is known. */
  problem: z.string().nullable(),
  /** Requests that it sends at most. */
  requests: z.number().int(),
  /** The host that they go to; null where that is this machine. */
  otherHost: z.string().nullable(),
  /** Cases of the run, and those that have ended. */
  total: z.number().int(),
  ended: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  /** From 0 to 100, by weight of the cases judged; null if none was, or while a critical case fails. */
  score: z.number().nullable(),
})
export type CheckSummary = z.infer<typeof checkSummarySchema>

/** Held against the last run of the same target. */
export const checkComparisonSchema = z.object({
  runId: z.string(),
  createdAt: z.iso.datetime(),
  /** Names of cases. */
  newlyFailing: z.array(z.string()),
  fixed: z.array(z.string()),
})
export type CheckComparison = z.infer<typeof checkComparisonSchema>

export const checkRunSchema = checkSummarySchema.extend({
  /** Of the cases that have ended, in their order. */
  results: z.array(checkResultSchema),
  /** Of those that have not. */
  waiting: z.array(checkCaseSchema),
  conclusions: z.array(checkConclusionSchema),
  comparison: checkComparisonSchema.nullable(),
})
export type CheckRun = z.infer<typeof checkRunSchema>

/** Why nothing could be checked: the endpoint can't be reached. Null if it was. */
export function unreachableReason(conclusions: readonly Pick<CheckConclusion, 'cause' | 'fix'>[]): string | null {
  return conclusions.find(({ cause }) => cause === 'unreachable')?.fix ?? null
}

/** How many of each there are. */
export function countOutcomes(results: readonly Pick<CheckResult, 'outcome'>[]): {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
} {
  const count = (wanted: CheckResult['outcome']) => results.filter(({ outcome }) => outcome === wanted).length
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}

/**
 * What mends a case: null where nothing is the matter with it, or nothing is known of it. Of the first delivery it is what the
 * conclusion about it says: its own words tell of a recipe, whatever came.
 */
export function fixOf(
  { name, outcome, warning, fix }: Pick<CheckResult, 'name' | 'outcome' | 'warning' | 'fix'>,
  conclusions: readonly Pick<CheckConclusion, 'cases' | 'fix'>[],
): string | null {
  if (outcome === 'skip' || (outcome === 'pass' && warning === null)) return null
  const ofFirst = name === FIRST_CASE ? conclusions.find(({ cases }) => cases.includes(FIRST_CASE)) : undefined
  return ofFirst?.fix ?? fix
}

/** How much a case matters, if it failed or warns; null of one that passed or was skipped. */
export function severityOf({ outcome, warning, severity }: Pick<CheckResult, 'outcome' | 'warning' | 'severity'>) {
  return outcome === 'fail' || (outcome === 'pass' && warning !== null) ? severity : null
}

const weights = { critical: 5, major: 3, minor: 1 } as const

/**
 * Share of the judged cases that passed, by weight, from 0 to 100, rounded down: 100 is everything. Null while a critical case fails,
 * as it does if the endpoint is unreachable: a number would make light of lost or forged deliveries.
 */
export function scoreOf(results: readonly Pick<CheckResult, 'severity' | 'outcome'>[]): number | null {
  if (results.some(({ severity, outcome }) => outcome === 'fail' && severity === 'critical')) return null
  const weigh = (all: typeof results) => all.reduce((sum, { severity }) => sum + weights[severity], 0)
  const judged = weigh(results.filter(({ outcome }) => outcome !== 'skip'))
  return judged === 0 ? null : Math.floor((100 * weigh(results.filter(({ outcome }) => outcome === 'pass'))) / judged)
}
