/** The plan of a flow before it runs, and one run of it: each step with its expectation and its result. */
import { z } from 'zod'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'
import { flowActorSchema, flowInputNameSchema } from './flow.ts'

export const flowStepKindSchema = z.enum([
  'trigger',
  'make',
  'change',
  'rotate',
  'wait',
  'delivery',
  'answer',
  'check',
])

/** A step as drawn in the diagram: an arrow between two actors, or a mark if both are the same. */
export const flowPlanStepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  kind: flowStepKindSchema,
  /** The actor. */
  actor: flowActorSchema,
  from: flowActorSchema,
  to: flowActorSchema,
  title: z.string(),
  event: z.string().nullable(),
  /** The expectation in words; null if there is none. */
  expected: z.string().nullable(),
  /** Longest duration in sandbox time, in milliseconds; exact for a wait. Null if the step takes no time. */
  lastsMs: z.number().nullable(),
  /** For a delivery: how much sandbox time must pass before it may arrive, in milliseconds. */
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
  /** Why the flow needs the sandbox; null if it also runs against a real test account. */
  sandboxOnly: z.string().nullable(),
  builtIn: z.boolean(),
  /** What can be set before a run in the sandbox. `choices` is empty if any value of its kind is possible. */
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
  /** The flow itself, as in its file. */
  source: z.string(),
  /** The flow's file; null for a built-in flow. */
  origin: z.string().nullable().default(null),
})
export type FlowPlan = z.infer<typeof flowPlanSchema>

/** What is wrong with a flow file, and where. */
export const flowProblemSchema = z.object({
  /** The field, such as `steps[3].where.amount`; empty for the whole file. */
  path: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  message: z.string(),
  fix: z.string(),
})
export type FlowProblem = z.infer<typeof flowProblemSchema>

export const flowOutcomeSchema = z.enum(['pass', 'fail', 'skip', 'missing'])
export type FlowOutcome = z.infer<typeof flowOutcomeSchema>

/** One expectation of a step with its values filled in, beside the actual value. */
export const flowCheckSchema = z.object({
  /** The compared value: `Signature`, `Status`, `amount`. */
  field: z.string(),
  /** Path of the field in the payload; null if it isn't in the payload. */
  path: z.string().nullable(),
  expected: z.string(),
  /** Between expected and actual: `=`, `≠`, `<`, `≤`, `≥`, `in`, `matches`. For a failed check, the opposite. */
  operator: z.string(),
  actual: z.string(),
  passed: z.boolean(),
})
export type FlowCheck = z.infer<typeof flowCheckSchema>

/** Payload values of a delivery, for the diagram. Amounts are in major units, as JSON numbers; null if the payload lacks them. */
export const flowFactsSchema = z.object({
  amount: z.number().nullable(),
  cashback: z.number().nullable(),
  fee: z.number().nullable(),
  currency: z.string().nullable(),
  scheme: z.string().nullable(),
  lastNumbers: z.string().nullable(),
  status: z.string().nullable(),
})
export type FlowFacts = z.infer<typeof flowFactsSchema>

/** How a request was answered: by Countersign's receiver, or by the developer's handler. */
export const flowResponseSchema = z.object({
  by: z.enum(['receiver', 'handler']),
  /** `timeout`: none within 20 s. `dropped`: the connection ended first. `unreachable`: no connection. */
  kind: z.enum(['status', 'timeout', 'dropped', 'unreachable']),
  status: z.number().int().nullable(),
  ms: z.number().nullable(),
  /** Why there was no response; null if there was one. */
  error: z.string().nullable(),
  /** Whether the service counts it as acknowledged (section 6.4). */
  acknowledged: z.boolean(),
  /** The send whose response this is, for its headers and body; null for the receiver's own. */
  sendId: z.string().nullable(),
})
export type FlowResponse = z.infer<typeof flowResponseSchema>

/** What is known about the delivery of a delivery or answer step. */
export const flowArrivedSchema = z.object({
  verdict: verdictSchema,
  freshness: freshnessSchema,
  /** Why the signature is invalid or the timestamp stale, in a few words: `signed with another secret`. */
  cause: z.string().nullable(),
  attempt: z.number().int(),
  duplicateOf: z.string().nullable(),
  facts: flowFactsSchema.nullable(),
})
export type FlowArrived = z.infer<typeof flowArrivedSchema>

export const flowRunStepSchema = flowPlanStepSchema.extend({
  state: z.enum(['waiting', 'running', 'done']),
  /** Null until the step is done. */
  outcome: flowOutcomeSchema.nullable(),
  /** When the step happened, in real time: a delivery's arrival, or the moment of a trigger. */
  at: z.iso.datetime().nullable(),
  /** The same moment in sandbox time. */
  businessAt: z.iso.datetime().nullable(),
  ms: z.number().nullable(),
  deliveryId: z.string().nullable(),
  /** The received data, in words. */
  got: z.string().nullable(),
  /** A few words about the delivery's payload: an amount, a card, a status. */
  told: z.string().nullable().default(null),
  /** What happened and, for a failure, why. */
  message: z.string(),
  /** How to fix it; null if nothing is wrong. */
  fix: z.string().nullable(),
  /** The rules that failed, without the data: `signature`, `where amount`. Null if none did. */
  rule: z.string().nullable().default(null),
  /** The delivery in detail; null if none arrived, and for runs stored before this was recorded. */
  arrived: flowArrivedSchema.nullable().default(null),
  /** The response to it: the receiver's for a delivery step, your handler's for an answer step. */
  response: flowResponseSchema.nullable().default(null),
  /** The expectations, one per line, in the order checked. */
  checks: z.array(flowCheckSchema).default([]),
  /** True at the last failed attempt: the service doesn't try again (section 6.4). */
  gaveUp: z.boolean().default(false),
})
export type FlowRunStep = z.infer<typeof flowRunStepSchema>

/** A delivery that no step expected. */
export const flowStraySchema = z.object({
  deliveryId: z.string(),
  kind: z.enum(['unexpected', 'duplicate']),
  event: z.string().nullable(),
  at: z.iso.datetime(),
  businessAt: z.iso.datetime(),
  message: z.string(),
  arrived: flowArrivedSchema.nullable().default(null),
  response: flowResponseSchema.nullable().default(null),
})
export type FlowStray = z.infer<typeof flowStraySchema>

export const flowSpeedSchema = z.union([z.number().positive().max(100_000), z.literal('max')])
export type FlowSpeed = z.infer<typeof flowSpeedSchema>

export const flowRunSummarySchema = z.object({
  id: z.string(),
  flow: z.string(),
  /** The flow's file; null for a built-in flow. */
  origin: z.string().nullable().default(null),
  title: z.string(),
  environment: z.string(),
  mode: modeSchema,
  /** Triggers come from the sandbox or, with a real account, from a person. */
  target: z.enum(['sandbox', 'account']),
  speed: flowSpeedSchema,
  /** The developer's endpoint that receives the deliveries too. */
  handler: z.string().nullable(),
  /** The saved handler's name; null if the endpoint isn't saved. */
  handlerName: z.string().nullable().default(null),
  /** Inputs and fields that were set, as JSON texts by path. */
  set: z.record(z.string(), z.string()).default({}),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** `interrupted`: the program stopped before the run finished. */
  state: z.enum(['running', 'paused', 'done', 'cancelled', 'interrupted']),
  /** Null until the run is finished. */
  outcome: z.enum(['pass', 'fail']).nullable(),
  /** The result in one sentence. */
  summary: z.string(),
  /** What happened, in a few words; empty until the run is finished, and for runs stored before this was recorded. */
  happened: z.string().default(''),
})
export type FlowRunSummary = z.infer<typeof flowRunSummarySchema>

export const flowRunSchema = flowRunSummarySchema.extend({
  /** The current or next step. */
  current: z.number().int(),
  businessStartedAt: z.iso.datetime(),
  /** Sandbox time at a given real time; null for runs stored before this was recorded. */
  clock: z.object({ at: z.iso.datetime(), businessAt: z.iso.datetime() }).nullable().default(null),
  /** What a person has to do now, with a real account. */
  ask: z.string().nullable(),
  steps: z.array(flowRunStepSchema),
  strays: z.array(flowStraySchema),
})
export type FlowRun = z.infer<typeof flowRunSchema>

/** How a run's outcome differs from the flow's run before it. `unchanged`: both passed. */
export type FlowChange = 'fixed' | 'regressed' | 'still-failing' | 'unchanged'
