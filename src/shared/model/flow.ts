/**
 * A flow: a business process of the service as data, with its triggers, the expected deliveries and the rules between them. Teams
 * keep their own as JSON files. The published schema (`docs/flow.schema.json`) is generated from this one.
 */
import { z } from 'zod'
import { shownEventTypes } from '../service/event-type.ts'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'
import { sandboxObjectKindSchema, faultSchema } from './sandbox.ts'
import { unitMs } from '../text/moment.ts'

const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** Comparisons of one value. All that are given must hold. */
export const flowComparisonSchema = z
  .strictObject({
    is: scalarSchema.optional().describe('Equals this value.'),
    not: scalarSchema.optional().describe("Doesn't equal this value."),
    oneOf: z.array(scalarSchema).min(1).optional().describe('Equals one of these values.'),
    lt: z.union([z.number(), z.string()]).optional().describe('Is less than this number.'),
    lte: z.union([z.number(), z.string()]).optional().describe('Is at most this number.'),
    gt: z.union([z.number(), z.string()]).optional().describe('Is greater than this number.'),
    gte: z.union([z.number(), z.string()]).optional().describe('Is at least this number.'),
    negativeOf: z
      .union([z.number(), z.string()])
      .optional()
      .describe('Equals this number negated, such as the amount of a refund.'),
    matches: z
      .string()
      .max(200)
      .optional()
      .describe('Is a string that matches this regular expression.'),
    exists: z.boolean().optional().describe('Whether the field is present.'),
  })
  .refine((rule) => Object.keys(rule).length > 0, {
    message: 'A rule needs at least one comparison.',
  })

/** What a flow expects of a value: a literal, or comparisons that must all hold. Strings may contain `${name.path}`. */
const flowRuleSchema = z.union([scalarSchema, flowComparisonSchema])
export type FlowRule = z.infer<typeof flowRuleSchema>
export type FlowComparison = z.infer<typeof flowComparisonSchema>

/** Rules by field path, with names joined by dots: `card.lastNumbers`. */
const flowRulesSchema = z.record(z.string().min(1), flowRuleSchema)
export type FlowRules = z.infer<typeof flowRulesSchema>

/** Maximum size of a flow file, in bytes. */
export const FLOW_FILE_BYTES = 1_048_576

/** Participants. Each is a lifeline in the diagram. */
const flowActorSchema = z.enum([
  'cardholder',
  'brand',
  'network',
  'service',
  'attacker',
  'receiver',
  'handler',
])
export type FlowActor = z.infer<typeof flowActorSchema>

const DURATION = /^\d+(\.\d+)?(ms|s|m|h|d)$/
const durationSchema = z
  .string()
  .regex(DURATION, { error: 'Expected a duration with a unit: 90s, 15m, 72h or 3d.' })
  .describe('Duration with a unit: 90s, 15m, 72h, 3d.')
/** Names of steps, hooks and stored values. */
const nameSchema = z.string().regex(/^[a-z][A-Za-z0-9-]{0,63}$/, {
  error: 'A name starts with a lowercase letter, followed by letters, digits and dashes.',
})
const eventSchema = z.enum(shownEventTypes)
const setSchema = z.record(z.string().min(1), z.json())
const textSchema = z.string().min(1).max(2_000)

const common = {
  name: nameSchema
    .optional()
    .describe(
      'Name of the step in reports. Default: the name in "as", or the step\'s kind and position.',
    ),
  title: textSchema.optional().describe('One line for people. Default: a generated title.'),
  only: z
    .enum(['sandbox', 'account'])
    .optional()
    .describe(
      'Skips the step everywhere else: for behavior of the sandbox or of a real account only.',
    ),
}
const as = nameSchema.optional().describe('Stores the result for later steps, as ${name.path}.')
const ask = textSchema.optional().describe('What a person does instead, with a real test account.')

export const flowStepSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('trigger'),
    ...common,
    event: eventSchema,
    of: textSchema
      .optional()
      .describe(
        'Id of the object concerned: the purchase for a clearing or refund, a card, a brand, a location.',
      ),
    set: setSchema.optional().describe('Payload fields to set, by path.'),
    seed: z.number().int().min(0).optional().describe('The same seed creates the same objects.'),
    fault: faultSchema.optional().describe('A fault for the sandbox to introduce.'),
    observed: z
      .boolean()
      .optional()
      .describe('Whether to send the nulls and gaps seen at accounts in test mode.'),
    as,
    ask,
  }),
  z.strictObject({
    kind: z.literal('make'),
    ...common,
    object: sandboxObjectKindSchema.exclude(['transaction']),
    set: setSchema.optional(),
    as,
    ask,
  }),
  z.strictObject({
    kind: z.literal('change'),
    ...common,
    of: textSchema.describe('Id of the object.'),
    set: setSchema,
    ask,
  }),
  z.strictObject({
    kind: z.literal('rotate'),
    ...common,
    hook: nameSchema.describe(
      'The hook to give a new secret. The previous secret still verifies pending deliveries.',
    ),
  }),
  z.strictObject({ kind: z.literal('wait'), ...common, for: durationSchema, ask }),
  z.strictObject({
    kind: z.literal('delivery'),
    ...common,
    event: eventSchema,
    hook: nameSchema
      .optional()
      .describe('The hook that receives it. Default: any hook for the event.'),
    match: flowRulesSchema
      .optional()
      .describe('Identifies the delivery by its fields, usually an id.'),
    where: flowRulesSchema.optional().describe('Rules that its fields must meet.'),
    after: durationSchema.optional().describe('Minimum sandbox time after the last trigger.'),
    within: durationSchema.default('30s').describe('How long to wait for it, in sandbox time.'),
    attempt: z.number().int().min(1).max(3).optional().describe('Number of the attempt.'),
    repeats: nameSchema
      .optional()
      .describe('This delivery repeats the notification of the delivery with this name.'),
    verdict: verdictSchema.default('valid'),
    freshness: freshnessSchema.exclude(['unknown']).default('fresh'),
    schema: z
      .enum(['ok', 'any'])
      .default('ok')
      .describe("Whether the body must match the event's schema."),
    order: z
      .enum(['strict', 'any'])
      .default('strict')
      .describe('Whether it must arrive after the deliveries of the previous steps.'),
    absent: z
      .boolean()
      .default(false)
      .describe('Expects that this delivery does not arrive within that time.'),
    as,
  }),
  z.strictObject({
    kind: z.literal('answer'),
    ...common,
    to: nameSchema.describe('Name of the stored delivery that your handler responds to.'),
    accept: z
      .boolean()
      .default(true)
      .describe(
        'true: your handler must acknowledge with 200. false: it must reject the delivery.',
      ),
  }),
  z.strictObject({
    kind: z.literal('check'),
    ...common,
    value: textSchema.describe('The value to compare: ${name.path}.'),
    rule: flowRuleSchema,
  }),
])
export type FlowStep = z.output<typeof flowStepSchema>
type FlowStepKind = FlowStep['kind']
export type FlowStepOf<K extends FlowStepKind> = Extract<FlowStep, { kind: K }>

export const flowHookSchema = z.strictObject({
  id: nameSchema,
  event: eventSchema,
  offerId: z
    .uuid()
    .optional()
    .describe('Only transactions of this offer. For the three qualified events.'),
  headers: z.record(z.string(), z.string()).optional(),
  answers: z
    .strictObject({
      failFirst: z
        .number()
        .int()
        .min(0)
        .max(3)
        .default(0)
        .describe('Number of attempts of each notification to reject.'),
      failStatus: z.number().int().min(300).max(599).default(500),
      holdFirst: z
        .number()
        .int()
        .min(0)
        .max(3)
        .default(0)
        .describe('Number of deliveries to leave without a response for 20 seconds.'),
      inTurn: z
        .array(z.union([z.number().int().min(200).max(599), z.enum(['timeout', 'drop'])]))
        .min(1)
        .max(3)
        .optional()
        .describe(
          'The response to each of the first deliveries: a status, "timeout" for none, "drop" to close the connection.',
        ),
    })
    .optional()
    .describe('How the receiver responds, to provoke retries.'),
})
export type FlowHook = z.output<typeof flowHookSchema>

const flowInputNameSchema = z.enum(['amount', 'currency', 'scheme', 'location'])
export type FlowInputName = z.infer<typeof flowInputNameSchema>

export const flowSchema = z.strictObject({
  $schema: z.string().optional(),
  flow: z.literal(1).describe('Version of this format.'),
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, {
    error:
      "A flow's name starts with a lowercase letter, followed by lowercase letters, digits and dashes.",
  }),
  title: textSchema,
  about: textSchema.optional(),
  sections: z
    .array(z.string().regex(/^\d(\.\d)?$/))
    .optional()
    .describe('Sections of the spec that the flow covers.'),
  mode: modeSchema.default('test'),
  inputs: z
    .array(
      z.strictObject({
        name: flowInputNameSchema,
        above: z.number().optional().describe('For amount: the number it must exceed. Default: 0.'),
      }),
    )
    .optional()
    .describe('Values of the payment or card that can be set before a run.'),
  hooks: z
    .array(flowHookSchema)
    .max(50)
    .optional()
    .describe('Extra hooks. Each expected event gets a hook automatically.'),
  steps: z.array(flowStepSchema).min(1).max(200),
})
export type Flow = z.output<typeof flowSchema>

/** Converts a duration that passed the schema to milliseconds. */
export function durationMs(text: string): number {
  return Number.parseFloat(text) * unitMs(text)
}

// The plan of a flow before it runs, and one run of it: each step with its expectation and its result.

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

/** A step as drawn in the diagram: an arrow between two actors, or a mark if both are the same. */
const flowPlanStepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  kind: flowStepKindSchema,
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

export const flowProblemSchema = z.object({
  /** The field, such as `steps[3].where.amount`; empty for the whole file. */
  path: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  message: z.string(),
  fix: z.string(),
})
export type FlowProblem = z.infer<typeof flowProblemSchema>

const flowOutcomeSchema = z.enum(['pass', 'fail', 'skip', 'missing'])
export type FlowOutcome = z.infer<typeof flowOutcomeSchema>

/** One expectation of a step with its values filled in, beside the actual value. */
const flowCheckSchema = z.object({
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

/** How a request was answered: by Countersign's receiver, or by the developer's handler. */
const flowResponseSchema = z.object({
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
const flowArrivedSchema = z.object({
  verdict: verdictSchema,
  freshness: freshnessSchema,
  /** Why the signature is invalid or the timestamp stale, in a few words: `signed with another secret`. */
  cause: z.string().nullable(),
  attempt: z.number().int(),
  duplicateOf: z.string().nullable(),
  facts: flowFactsSchema.nullable(),
})
export type FlowArrived = z.infer<typeof flowArrivedSchema>

const flowRunStepSchema = flowPlanStepSchema.extend({
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
  strays: z.array(unexpectedDeliverySchema),
})
export type FlowRun = z.infer<typeof flowRunSchema>

/** How a run's outcome differs from the flow's run before it. `unchanged`: both passed. */
export type FlowChange = 'fixed' | 'regressed' | 'still-failing' | 'unchanged'
