/** A tunnel that gives the receiver a public URL, and the result of testing that URL. */
import { z } from 'zod'

export const tunnelProviderSchema = z.enum(['cloudflared', 'ngrok'])
export type TunnelProvider = z.infer<typeof tunnelProviderSchema>

/**
 * The result of a test request to the public URL, which should arrive at this receiver. `reached`: it arrived unchanged. `altered`:
 * it arrived changed. `no-answer`: it arrived, but the response was lost. `elsewhere`: another server responded. `unreachable`: no
 * response.
 */
export const addressTestSchema = z.object({
  url: z.string(),
  at: z.iso.datetime(),
  outcome: z.enum(['reached', 'altered', 'no-answer', 'elsewhere', 'unreachable']),
  /** The finding and its fix, as sentences. */
  message: z.string(),
  /** Status of the response; null if there was none. */
  status: z.number().int().nullable(),
  ms: z.number(),
})
export type AddressTest = z.infer<typeof addressTestSchema>

export const tunnelStatusSchema = z.object({
  /** `starting`: the tool is running but hasn't printed a URL yet. `stopped`: by request, or by itself; `problem` then says why. */
  state: z.enum(['off', 'starting', 'up', 'stopped']),
  provider: tunnelProviderSchema.nullable(),
  /** The tunnel's public URL; null if it isn't up. */
  url: z.string().nullable(),
  /** The receiver URL that it forwards to. */
  target: z.string().nullable(),
  problem: z.string().nullable(),
  /** Earlier tunnel URLs, newest first. Hooks that still point to one of them receive nothing. */
  earlier: z.array(z.string()),
  /** The last test of the current public URL, including a manually entered one; null if not tested yet. */
  test: addressTestSchema.nullable(),
})
export type TunnelStatus = z.infer<typeof tunnelStatusSchema>
