/** What a flow says of a value: a literal that it is, or a few comparisons that all hold. Texts may hold `${name.path}`. */
import { z } from 'zod'

const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** Comparisons of one value; each that is given has to hold. */
export const flowComparisonSchema = z
  .strictObject({
    is: scalarSchema.optional().describe('Equal to this.'),
    not: scalarSchema.optional().describe('Anything but this.'),
    oneOf: z.array(scalarSchema).min(1).optional().describe('Equal to one of these.'),
    lt: z.union([z.number(), z.string()]).optional().describe('A number below this one.'),
    lte: z.union([z.number(), z.string()]).optional().describe('A number not above this one.'),
    gt: z.union([z.number(), z.string()]).optional().describe('A number above this one.'),
    gte: z.union([z.number(), z.string()]).optional().describe('A number not below this one.'),
    negativeOf: z
      .union([z.number(), z.string()])
      .optional()
      .describe('This number with the other sign, as the amount of a refund.'),
    matches: z.string().max(200).optional().describe('A text in which this regular expression is found.'),
    exists: z.boolean().optional().describe('Whether the field is there at all.'),
  })
  .refine((rule) => Object.keys(rule).length > 0, {
    message: 'A rule has to compare with something.',
  })

export const flowRuleSchema = z.union([scalarSchema, flowComparisonSchema])
export type FlowRule = z.infer<typeof flowRuleSchema>
export type FlowComparison = z.infer<typeof flowComparisonSchema>

/** Rules by the path of their field, names joined by dots: `card.lastNumbers`. */
export const flowRulesSchema = z.record(z.string().min(1), flowRuleSchema)
export type FlowRules = z.infer<typeof flowRulesSchema>
