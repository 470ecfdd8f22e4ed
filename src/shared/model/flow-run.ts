/**
 * Plan of a flow before it runs, and its runs: each step with its expectation and its result.
 * `business…`: time of the sandbox's clock, which runs faster.
 */
import { z } from 'zod'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'
import { flowActorSchema, flowInputNameSchema } from './flow.ts'

const flowStepKindSchema = z.enum([
  'trigger',
  'make',
  'change',
  'rotate',
  'wait',
  'delivery',
  'answer',
  'check',
])

const flowPlanStepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  kind: flowStepKindSchema,
  actor: flowActorSchema,
  from: flowActorSchema,
  to: flowActorSchema,
  title: z.string(),
  event: z.string().nullable(),
  expected: z.string().nullable(),
  /** Longest sandbox time; exact for a wait. */
  lastsMs: z.number().nullable(),
  /** Shortest sandbox time before a delivery. */
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
  sandboxOnly: z.string().nullable(),
  builtIn: z.boolean(),
  inputs: z
    .array(
      z.object({ name: flowInputNameSchema, choices: z.array(z.string()), example: z.string() }),
    )
    .default([]),
})

export type FlowSummary = z.infer<typeof flowSummarySchema>

export const flowPlanSchema = flowSummarySchema.extend({
  actors: z.array(flowActorSchema),
  steps: z.array(flowPlanStepSchema),
  source: z.string(),
  origin: z.string().nullable().default(null),
})

export type FlowPlan = z.infer<typeof flowPlanSchema>

const flowOutcomeSchema = z.enum(['pass', 'fail', 'skip', 'missing'])

export type FlowOutcome = z.infer<typeof flowOutcomeSchema>

const flowCheckSchema = z.object({
  /** `Signature`, `Status`, or a field such as `amount`. */
  field: z.string(),
  path: z.string().nullable(),
  expected: z.string(),
  /** Symbol such as `≤`; negated if failed. */
  operator: z.string(),
  actual: z.string(),
  passed: z.boolean(),
})

export type FlowCheck = z.infer<typeof flowCheckSchema>

/** Amounts are in major units. */
const flowFactsSchema = z.object({
  amount: z.number().nullable(),
  cashback: z.number().nullable(),
  fee: z.number().nullable(),
  currency: z.string().nullable(),
  scheme: z.string().nullable(),
  lastNumbers: z.string().nullable(),
  status: z.string().nullable(),
})

export type FlowFacts = z.infer<typeof flowFactsSchema>

const flowResponseSchema = z.object({
  by: z.enum(['receiver', 'handler']),
  /** `timeout`: none within 20 s. `dropped`: the connection ended first. */
  kind: z.enum(['status', 'timeout', 'dropped', 'unreachable']),
  status: z.number().int().nullable(),
  ms: z.number().nullable(),
  error: z.string().nullable(),
  acknowledged: z.boolean(),
  /** Send with the whole response; null for the receiver's own. */
  sendId: z.string().nullable(),
})

export type FlowResponse = z.infer<typeof flowResponseSchema>

const flowArrivedSchema = z.object({
  verdict: verdictSchema,
  freshness: freshnessSchema,
  /** Reason such as `signed with another secret`. */
  cause: z.string().nullable(),
  attempt: z.number().int(),
  duplicateOf: z.string().nullable(),
  facts: flowFactsSchema.nullable(),
})

export type FlowArrived = z.infer<typeof flowArrivedSchema>

const flowRunStepSchema = flowPlanStepSchema.extend({
  state: z.enum(['waiting', 'running', 'done']),
  outcome: flowOutcomeSchema.nullable(),
  /** Real time of a delivery's arrival, or of a trigger. */
  at: z.iso.datetime().nullable(),
  businessAt: z.iso.datetime().nullable(),
  ms: z.number().nullable(),
  deliveryId: z.string().nullable(),
  /** Result, in the words of `expected`. */
  got: z.string().nullable(),
  /** Payload in words. */
  told: z.string().nullable().default(null),
  message: z.string(),
  fix: z.string().nullable(),
  /** Failed rules without data: `signature`, `where amount`. */
  rule: z.string().nullable().default(null),
  /** Delivery that the step expected. */
  arrived: flowArrivedSchema.nullable().default(null),
  /** Receiver's response to a delivery step, handler's to an answer step. */
  response: flowResponseSchema.nullable().default(null),
  checks: z.array(flowCheckSchema).default([]),
  /** Last failed attempt, after which the service stops (section 6.4). */
  gaveUp: z.boolean().default(false),
})

export type FlowRunStep = z.infer<typeof flowRunStepSchema>

const unexpectedDeliverySchema = z.object({
  deliveryId: z.string(),
  kind: z.enum(['unexpected', 'duplicate']),
  event: z.string().nullable(),
  at: z.iso.datetime(),
  businessAt: z.iso.datetime(),
  message: z.string(),
  arrived: flowArrivedSchema.nullable().default(null),
  response: flowResponseSchema.nullable().default(null),
})

export type UnexpectedDelivery = z.infer<typeof unexpectedDeliverySchema>

export const flowSpeedSchema = z.union([z.number().positive().max(100_000), z.literal('max')])

export type FlowSpeed = z.infer<typeof flowSpeedSchema>

export const flowRunSummarySchema = z.object({
  id: z.string(),
  flow: z.string(),
  origin: z.string().nullable().default(null),
  title: z.string(),
  environment: z.string(),
  mode: modeSchema,
  target: z.enum(['sandbox', 'account']),
  speed: flowSpeedSchema,
  handler: z.string().nullable(),
  handlerName: z.string().nullable().default(null),
  set: z.record(z.string(), z.string()).default({}),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** `interrupted`: the program stopped first. */
  state: z.enum(['running', 'paused', 'done', 'cancelled', 'interrupted']),
  outcome: z.enum(['pass', 'fail']).nullable(),
  summary: z.string(),
  happened: z.string().default(''),
  /** First failure of a failed run: `Clearing: returned 500, expected 200`; else empty. */
  reason: z.string().default(''),
})

export type FlowRunSummary = z.infer<typeof flowRunSummarySchema>

export const flowRunSchema = flowRunSummarySchema.extend({
  current: z.number().int(),
  businessStartedAt: z.iso.datetime(),
  /** Times at one moment; null in older runs. */
  clock: z.object({ at: z.iso.datetime(), businessAt: z.iso.datetime() }).nullable().default(null),
  /** Request to a person, without which the run waits. */
  ask: z.string().nullable(),
  steps: z.array(flowRunStepSchema),
  /** Deliveries that no step expected. */
  strays: z.array(unexpectedDeliverySchema),
})

export type FlowRun = z.infer<typeof flowRunSchema>

/** Change from the previous run. `unchanged`: both passed. */
export type FlowChange = 'fixed' | 'regressed' | 'still-failing' | 'unchanged'
