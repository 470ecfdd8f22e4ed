/** The parts of every command: its input and output schemas, and references to single deliveries. */
import { z } from 'zod'
import { literalsSchema, targetCaSchema } from '../../model/send.ts'
import { option } from '../../model/field-words.ts'

export function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O) {
  return { input, output }
}

/** Confirms what a live environment or hook is concerned by. `help` says what it allows. */
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

/** Values to set, by path, exactly as written here. */
export function literals(help: string) {
  return option(literalsSchema.optional(), help, '--set <path=value>', { kind: 'literals' })
}

export const nothing = z.object({})

/** To name more, use a query. */
export const MOST_NAMED = 10_000

/** IDs of deliveries, including `latest` and `latest:EVENT`. */
export const deliveryRefs = z.array(z.string().min(1)).min(1).max(MOST_NAMED)
