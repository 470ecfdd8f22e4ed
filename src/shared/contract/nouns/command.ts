/** Parts that commands share. */
import { z } from 'zod'
import { literalsSchema, targetCaSchema } from '../../model/send.ts'
import { option } from '../../model/field-words.ts'

export function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O) {
  return { input, output }
}

/** Creates the option that confirms live mode. */
export function live(help: string) {
  return option(z.boolean().default(false), help)
}

export const allowHosts = option(
  z.array(z.string().min(1)).max(100).default([]),
  'allow sending to this remote host (repeatable)',
  '--allow-host <host>',
)

export const targetCa = option(
  targetCaSchema.default(null),
  "verify the endpoint's certificate against this CA certificate (PEM)",
  '<file>',
  { kind: 'certificate' },
)

export function literals(help: string) {
  return option(literalsSchema.optional(), help, '--set <path=value>', { kind: 'literals' })
}

export const nothing = z.object({})

/** Limit of `deliveryRefs`; a query can select more. */
export const MOST_DELIVERY_REFS = 10_000

/** IDs, `latest` or `latest:EVENT`. */
export const deliveryRefs = z.array(z.string().min(1)).min(1).max(MOST_DELIVERY_REFS)
