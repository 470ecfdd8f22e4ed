/** What a flow looks like before it runs, and one run of it: each step with what was expected and what came. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'
import { flowActorSchema } from './flow.ts'

export const flowStepKindSchema = z.enum(['trigger', 'make', 'change', 'rotate', 'wait', 'delivery', 'answer', 'check'])

/** A step as it is drawn: an arrow from one actor to another, or a mark on one of them where both are the same. */
export const flowPlanStepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  kind: flowStepKindSchema,
  /** Who acts. */
  actor: flowActorSchema,
  from: flowActorSchema,
  to: flowActorSchema,
  title: z.string(),
  event: z.string().nullable(),
  /** What is expected, in words; null where nothing is. */
  expected: z.string().nullable(),
  /** How long it lasts in business time at the most, in milliseconds: of a wait exactly. Null where it takes no time. */
  lastsMs: z.number().nullable(),
  /** Of a delivery, how much business time has to pass before it may come, in milliseconds. */
  afterMs: z.number().nullable().default(null),
})
export type FlowPlanStep = z.infer<typeof flowPlanStepSchema>

export const flowSummarySchema = z.object({
  name: z.string(),
  title: z.string(),
  about: z.string().nullable(),
  sections: z.array(z.string()),
  mode: modeSchema,
  steps: z.number().int(),
  /** Why it can only run against the sandbox; null where a real test account will do. */
  sandboxOnly: z.string().nullable(),
  builtIn: z.boolean(),
})
export type FlowSummary = z.infer<typeof flowSummarySchema>

export const flowPlanSchema = flowSummarySchema.extend({
  actors: z.array(flowActorSchema),
  steps: z.array(flowPlanStepSchema),
  /** The flow itself, as a file holds it. */
  source: z.string(),
  /** The file that it came from; null of a built-in one. */
  origin: z.string().nullable().default(null),
})
export type FlowPlan = z.infer<typeof flowPlanSchema>

/** What is wrong with the file of a flow, and where. */
export const flowProblemSchema = z.object({
  /** The field: `steps[3].where.amount`; empty for the whole. */
  path: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  message: z.string(),
  fix: z.string(),
})
export type FlowProblem = z.infer<typeof flowProblemSchema>

export const flowOutcomeSchema = z.enum(['pass', 'fail', 'skip', 'missing'])
export type FlowOutcome = z.infer<typeof flowOutcomeSchema>

export const flowRunStepSchema = flowPlanStepSchema.extend({
  state: z.enum(['waiting', 'running', 'done']),
  /** Null until it is done. */
  outcome: flowOutcomeSchema.nullable(),
  /** When it was done, by the wall clock; of a delivery, when it arrived; of what causes something, when it was caused. */
  at: z.iso.datetime().nullable(),
  /** The same by the clock of the business. */
  businessAt: z.iso.datetime().nullable(),
  ms: z.number().nullable(),
  deliveryId: z.string().nullable(),
  /** What came, in words. */
  got: z.string().nullable(),
  /** What the payload of its delivery tells, in a few words: an amount, a card, a status. */
  told: z.string().nullable().default(null),
  /** What happened; where it failed, why. */
  message: z.string(),
  /** What to do about it; null where nothing is wrong. */
  fix: z.string().nullable(),
  /** Which rules failed, without the data that they failed on: `signature`, `where amount`. Null if none did. */
  rule: z.string().nullable().default(null),
})
export type FlowRunStep = z.infer<typeof flowRunStepSchema>

/** A delivery that no step asked for. */
export const flowStraySchema = z.object({
  deliveryId: z.string(),
  kind: z.enum(['unexpected', 'duplicate']),
  event: z.string().nullable(),
  at: z.iso.datetime(),
  businessAt: z.iso.datetime(),
  message: z.string(),
})
export type FlowStray = z.infer<typeof flowStraySchema>

export const flowSpeedSchema = z.union([z.number().positive().max(100_000), z.literal('max')])
export type FlowSpeed = z.infer<typeof flowSpeedSchema>

export const flowRunSummarySchema = z.object({
  id: z.string(),
  flow: z.string(),
  /** The file that the flow came from; null of a built-in one. */
  origin: z.string().nullable().default(null),
  title: z.string(),
  environment: z.string(),
  mode: modeSchema,
  /** The sandbox causes what happens; at a real account a person does. */
  target: z.enum(['sandbox', 'account']),
  speed: flowSpeedSchema,
  /** The developer's endpoint, where the deliveries go on to. */
  handler: z.string().nullable(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** `interrupted`: the program ended before the run did. */
  state: z.enum(['running', 'paused', 'done', 'cancelled', 'interrupted']),
  /** Null unless it is done. */
  outcome: z.enum(['pass', 'fail']).nullable(),
  /** In one sentence, how it went. */
  summary: z.string(),
})
export type FlowRunSummary = z.infer<typeof flowRunSummarySchema>

export const flowRunSchema = flowRunSummarySchema.extend({
  /** The step that is running, or that comes next. */
  current: z.number().int(),
  businessStartedAt: z.iso.datetime(),
  /** What the clock of the business showed at a moment of the wall clock; null of runs that were kept before it was. */
  clock: z.object({ at: z.iso.datetime(), businessAt: z.iso.datetime() }).nullable().default(null),
  /** What a person has to do now, at a real account. */
  ask: z.string().nullable(),
  steps: z.array(flowRunStepSchema),
  strays: z.array(flowStraySchema),
})
export type FlowRun = z.infer<typeof flowRunSchema>

/** Two runs of one flow, step by step. */
export const flowComparisonRowSchema = z.object({
  name: z.string(),
  title: z.string(),
  before: flowRunStepSchema.nullable(),
  after: flowRunStepSchema.nullable(),
  change: z.enum(['same', 'fixed', 'broken', 'different', 'added', 'removed']),
  /** What differs, in words. */
  message: z.string(),
})
export const flowRunComparisonSchema = z.object({
  before: flowRunSummarySchema,
  after: flowRunSummarySchema,
  rows: z.array(flowComparisonRowSchema),
})
export type FlowComparisonRow = z.infer<typeof flowComparisonRowSchema>
export type FlowRunComparison = z.infer<typeof flowRunComparisonSchema>
