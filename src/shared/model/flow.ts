/**
 * Flow: a business process of the service as data. `docs/flow.schema.json` is generated from this
 * schema.
 */
import { z } from 'zod'
import { shownEventTypes } from '../service/event-type.ts'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'
import { sandboxObjectKindSchema } from './sandbox.ts'
import { faultSchema } from './notification.ts'
import { unitMs } from '../text/time-text.ts'

const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])

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

/** Literal or comparisons. Strings may contain `${name.path}`. */
const flowRuleSchema = z.union([scalarSchema, flowComparisonSchema])
export type FlowRule = z.infer<typeof flowRuleSchema>
export type FlowComparison = z.infer<typeof flowComparisonSchema>

/** Rules by field path, such as `card.lastNumbers`. */
const flowRulesSchema = z.record(z.string().min(1), flowRuleSchema)
export type FlowRules = z.infer<typeof flowRulesSchema>

export const FLOW_FILE_BYTES = 1_048_576

export const flowActorSchema = z.enum([
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
const nameSchema = z.string().regex(/^[a-z][A-Za-z0-9-]{0,63}$/, {
  error: 'A name starts with a lowercase letter, followed by letters, digits and dashes.',
})
const eventSchema = z.enum(shownEventTypes).describe('Type of the event.')
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
    kind: z.literal('trigger').describe('Triggers an event, as `countersign trigger` does.'),
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
    kind: z.literal('make').describe('Creates an object.'),
    ...common,
    object: sandboxObjectKindSchema.exclude(['transaction']).describe('Kind of the object.'),
    set: setSchema.optional().describe('Fields to set, by path.'),
    as,
    ask,
  }),
  z.strictObject({
    kind: z.literal('change').describe('Changes an object, which may send events.'),
    ...common,
    of: textSchema.describe('Id of the object.'),
    set: setSchema.describe('Fields to set, by path.'),
    ask,
  }),
  z.strictObject({
    kind: z.literal('rotate').describe('Gives a hook a new secret.'),
    ...common,
    hook: nameSchema.describe(
      'The hook to give a new secret. The previous secret still verifies pending deliveries.',
    ),
  }),
  z.strictObject({
    kind: z.literal('wait').describe('Lets sandbox time pass.'),
    ...common,
    for: durationSchema,
    ask,
  }),
  z.strictObject({
    kind: z.literal('delivery').describe('Expects a delivery.'),
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
    attempt: z
      .number()
      .int()
      .min(1)
      .max(3)
      .optional()
      .describe('Number of the attempt. Default: 1.'),
    repeats: nameSchema
      .optional()
      .describe('This delivery repeats the notification of the delivery with this name.'),
    verdict: verdictSchema.default('valid').describe('Its verdict.'),
    freshness: freshnessSchema.exclude(['unknown']).default('fresh').describe('Its freshness.'),
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
    kind: z.literal('answer').describe("Checks your handler's response to a delivery."),
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
    kind: z.literal('check').describe('Compares a value.'),
    ...common,
    value: textSchema.describe('The value to compare: ${name.path}.'),
    rule: flowRuleSchema.describe('A value to equal, or comparisons.'),
  }),
])
export type FlowStep = z.output<typeof flowStepSchema>
type FlowStepKind = FlowStep['kind']
export type FlowStepOf<K extends FlowStepKind> = Extract<FlowStep, { kind: K }>

export const flowHookSchema = z.strictObject({
  id: nameSchema.describe('Name of the hook in this file.'),
  event: eventSchema,
  offerId: z
    .uuid()
    .optional()
    .describe('Only transactions of this offer. For the three qualified events.'),
  headers: z.record(z.string(), z.string()).optional().describe('Custom headers.'),
  answers: z
    .strictObject({
      failFirst: z
        .number()
        .int()
        .min(0)
        .max(3)
        .default(0)
        .describe('Number of attempts of each notification to reject.'),
      failStatus: z.number().int().min(300).max(599).default(500).describe('Status of these.'),
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

export const flowInputNameSchema = z.enum(['amount', 'currency', 'scheme', 'location'])
export type FlowInputName = z.infer<typeof flowInputNameSchema>

export const flowSchema = z.strictObject({
  $schema: z.string().optional(),
  flow: z.literal(1).describe('Version of this format.'),
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, {
      error:
        "A flow's name starts with a lowercase letter, followed by lowercase letters, digits and dashes.",
    })
    .describe('Name of the flow: lowercase letters, digits and dashes.'),
  title: textSchema.describe('One line for people.'),
  about: textSchema.optional().describe('Description.'),
  sections: z
    .array(z.string().regex(/^\d(\.\d)?$/))
    .optional()
    .describe('Sections of the spec that the flow covers.'),
  mode: modeSchema.default('test').describe('A flow in live mode needs `--live`.'),
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
  steps: z.array(flowStepSchema).min(1).max(200).describe('Steps, in order.'),
})
export type Flow = z.output<typeof flowSchema>

export function durationMs(text: string): number {
  return Number.parseFloat(text) * unitMs(text)
}
