/** A tunnel that gives the receiver a public URL, and the result of testing that URL. */
import { z } from 'zod'

export const tunnelProviderSchema = z.enum(['cloudflared', 'ngrok'])
export type TunnelProvider = z.infer<typeof tunnelProviderSchema>

/** How long to keep trying to start a tunnel before giving up. */
export const TUNNEL_PATIENCE_SECONDS = 60

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
  /**
   * `off`: not started. `starting`: the tool is running but hasn't reported a URL yet. `up`. `failing`: it stopped unexpectedly and
   * restarts at `nextTryAt`. `stopped`: by request, or given up; `problem` then says why.
   */
  state: z.enum(['off', 'starting', 'up', 'failing', 'stopped']),
  provider: tunnelProviderSchema.nullable(),
  /** The tunnel's public URL; null if it isn't up. */
  url: z.string().nullable(),
  /** The receiver URL that it forwards to. */
  target: z.string().nullable(),
  /** When it entered this state. */
  since: z.iso.datetime().nullable(),
  problem: z.string().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  /** Earlier tunnel URLs, newest first. Hooks that still point to one of them receive nothing. */
  earlier: z.array(z.string()),
  /** The last test of the current public URL, including a manually entered one; null if not tested yet. */
  test: addressTestSchema.nullable(),
  testing: z.boolean(),
})
export type TunnelStatus = z.infer<typeof tunnelStatusSchema>

/** A tunnel tool as found on this computer. */
export const tunnelProgramSchema = z.object({
  provider: tunnelProviderSchema,
  /** Its path; null if not found. */
  path: z.string().nullable(),
  /** A one-line install command; null if a web page explains it better. */
  install: z.string(),
  /** The page with instructions. */
  page: z.string(),
  /** The last characters of its stored token; null if none is stored or needed. */
  tokenHint: z.string().nullable(),
  needsToken: z.boolean(),
})
export type TunnelProgram = z.infer<typeof tunnelProgramSchema>
