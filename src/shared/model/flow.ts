/**
 * A flow: a business process of the service as data. What sets it off, the deliveries that must come of it, and the rules between
 * them. Teams keep their own as JSON files; the published schema (`docs/flow.schema.json`) is made of this one.
 */
import { z } from 'zod'
import { shownEventTypes } from '../service/event-type.ts'
import { freshnessSchema, modeSchema, verdictSchema } from './delivery.ts'
import { flowRuleSchema, flowRulesSchema } from './flow-rule.ts'
import { sandboxObjectKindSchema } from './sandbox-object.ts'
import { faultSchema } from './sending.ts'

/** Largest flow file, in bytes. */
export const FLOW_FILE_BYTES = 1_048_576

/** Who takes part: each is a lifeline of the diagram. */
export const flowActorSchema = z.enum(['cardholder', 'brand', 'network', 'service', 'receiver', 'handler'])
export type FlowActor = z.infer<typeof flowActorSchema>

const DURATION = /^\d+(\.\d+)?(ms|s|m|h|d)$/
const durationSchema = z
  .string()
  .regex(DURATION, { error: 'A length of time is a number with its unit: 90s, 15m, 72h, 3d.' })
  .describe('A length of time with its unit: 90s, 15m, 72h, 3d.')
/** Names of steps, hooks and of what is remembered. */
const nameSchema = z
  .string()
  .regex(/^[a-z][A-Za-z0-9-]{0,63}$/, { error: 'A name begins with a small letter and goes on with letters, digits and dashes.' })
const eventSchema = z.enum(shownEventTypes)
const setSchema = z.record(z.string().min(1), z.json())
const textSchema = z.string().min(1).max(2_000)

const common = {
  name: nameSchema.optional().describe('Names the step in reports; else what it remembers, or its kind and place.'),
  title: textSchema.optional().describe('One line for people, instead of the one made up.'),
  only: z
    .enum(['sandbox', 'account'])
    .optional()
    .describe('The step is left out against the other: what is true of the sandbox alone, or of a real account alone.'),
}
const as = nameSchema.optional().describe('Remembers it for later steps, as ${name.path}.')
const ask = textSchema.optional().describe('What a person does instead, against a real test account.')

export const flowStepSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('trigger'),
    ...common,
    event: eventSchema,
    of: textSchema
      .optional()
      .describe('Id of what it is about: the purchase of a clearing or refund, a card, a brand, a location.'),
    set: setSchema.optional().describe('Fields of the payload to set, by path.'),
    seed: z.number().int().min(0).optional().describe('The same seed makes the same objects.'),
    fault: faultSchema.optional().describe('How the sandbox is to depart from the interface, on purpose.'),
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
    hook: nameSchema.describe('The hook that gets a new secret; the one before is kept for what is still under way.'),
  }),
  z.strictObject({ kind: z.literal('wait'), ...common, for: durationSchema, ask }),
  z.strictObject({
    kind: z.literal('delivery'),
    ...common,
    event: eventSchema,
    hook: nameSchema.optional().describe('The hook that it comes to; else any of the event.'),
    match: flowRulesSchema.optional().describe('Which delivery is meant, by its fields: usually an id.'),
    where: flowRulesSchema.optional().describe('What has to hold of its fields.'),
    after: durationSchema.optional().describe('Not sooner than this after what was caused last, in business time.'),
    within: durationSchema.default('30s').describe('How long it is waited for, in business time.'),
    attempt: z.number().int().min(1).max(3).optional().describe('Which attempt of its notification it is.'),
    repeats: nameSchema.optional().describe('It is the same notification once more as the delivery of this name.'),
    verdict: verdictSchema.default('valid'),
    freshness: freshnessSchema.default('fresh'),
    schema: z.enum(['ok', 'any']).default('ok').describe('Whether its body has to be what the interface says of the event.'),
    order: z
      .enum(['strict', 'any'])
      .default('strict')
      .describe('Whether it has to come after the deliveries of the steps before.'),
    absent: z.boolean().default(false).describe('No such delivery may come within that time.'),
    as,
  }),
  z.strictObject({
    kind: z.literal('answer'),
    ...common,
    to: nameSchema.describe('The delivery that your handler is to answer, by the name that it is remembered under.'),
    accept: z.boolean().default(true).describe('200 acknowledges; false where it has to be refused.'),
  }),
  z.strictObject({
    kind: z.literal('check'),
    ...common,
    value: textSchema.describe('What is compared: ${name.path}.'),
    rule: flowRuleSchema,
  }),
])
export type FlowStep = z.output<typeof flowStepSchema>
export type FlowStepKind = FlowStep['kind']
export type FlowStepOf<K extends FlowStepKind> = Extract<FlowStep, { kind: K }>

export const flowHookSchema = z.strictObject({
  id: nameSchema,
  event: eventSchema,
  offerId: z.uuid().optional().describe('Only transactions of this offer; for the three qualified events.'),
  headers: z.record(z.string(), z.string()).optional(),
  answers: z
    .strictObject({
      failFirst: z.number().int().min(0).max(3).default(0).describe('So many attempts of each notification are refused.'),
      failStatus: z.number().int().min(300).max(599).default(500),
      holdFirst: z.number().int().min(0).max(3).default(0).describe('So many deliveries are not answered within 20 seconds.'),
    })
    .optional()
    .describe('What the receiver answers, to provoke further attempts.'),
})
export type FlowHook = z.output<typeof flowHookSchema>

export const flowSchema = z.strictObject({
  $schema: z.string().optional(),
  flow: z.literal(1).describe('Version of this format.'),
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, {
    error: 'The name of a flow begins with a small letter and goes on with small letters, digits and dashes.',
  }),
  title: textSchema,
  about: textSchema.optional(),
  sections: z
    .array(z.string().regex(/^\d(\.\d)?$/))
    .optional()
    .describe('Sections of the interface that it shows.'),
  mode: modeSchema.default('test'),
  hooks: z.array(flowHookSchema).max(50).optional().describe('Beside one for each event that a delivery is expected of.'),
  steps: z.array(flowStepSchema).min(1).max(200),
})
export type Flow = z.output<typeof flowSchema>

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a length of time that the schema has let through. */
export function durationMs(text: string): number {
  return Number.parseFloat(text) * (UNIT_MS[/[a-z]+$/.exec(text)?.[0] ?? 'ms'] ?? 1)
}
