/** Tunnel that gives the receiver a public URL, and the test of that URL. */
import { z } from 'zod'

export const tunnelProviderSchema = z.enum(['cloudflared', 'ngrok'])

export type TunnelProvider = z.infer<typeof tunnelProviderSchema>

/**
 * `altered`: the request arrived changed. `no-answer`: the response was lost. `elsewhere`: another
 * server responded.
 */
export const addressTestSchema = z.object({
  url: z.string(),
  at: z.iso.datetime(),
  outcome: z.enum(['reached', 'altered', 'no-answer', 'elsewhere', 'unreachable']),
  message: z.string(),
  status: z.number().int().nullable(),
  ms: z.number(),
})

export type AddressTest = z.infer<typeof addressTestSchema>

export const tunnelStatusSchema = z.object({
  /** `starting`: no URL yet. `stopped`: `problem` may say why. */
  state: z.enum(['off', 'starting', 'up', 'stopped']),
  provider: tunnelProviderSchema.nullable(),
  url: z.string().nullable(),
  target: z.string().nullable(),
  problem: z.string().nullable(),
  /** Earlier URLs, newest first; hooks that point to them receive nothing. */
  earlier: z.array(z.string()),
  test: addressTestSchema.nullable(),
})

export type TunnelStatus = z.infer<typeof tunnelStatusSchema>
