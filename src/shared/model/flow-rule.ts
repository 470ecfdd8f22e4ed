/** What a flow expects of a value: a literal, or comparisons that must all hold. Strings may contain `${name.path}`. */
import { z } from 'zod'

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
    matches: z.string().max(200).optional().describe('Is a string that matches this regular expression.'),
    exists: z.boolean().optional().describe('Whether the field is present.'),
  })
  .refine((rule) => Object.keys(rule).length > 0, {
    message: 'A rule needs at least one comparison.',
  })

export const flowRuleSchema = z.union([scalarSchema, flowComparisonSchema])
export type FlowRule = z.infer<typeof flowRuleSchema>
export type FlowComparison = z.infer<typeof flowComparisonSchema>

/** Rules by field path, with names joined by dots: `card.lastNumbers`. */
export const flowRulesSchema = z.record(z.string().min(1), flowRuleSchema)
export type FlowRules = z.infer<typeof flowRulesSchema>
