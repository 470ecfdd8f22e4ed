/** A tunnel that gives the receiver a public address, and what a test of that address found. */
import { z } from 'zod'

export const tunnelProviderSchema = z.enum(['cloudflared', 'ngrok'])
export type TunnelProvider = z.infer<typeof tunnelProviderSchema>

/** How long one that was asked for is tried to be got up, again and again, before it is given up. */
export const TUNNEL_PATIENCE_SECONDS = 60

/**
 * What came of a request sent to the public address, which has to arrive at this receiver. `reached`: it did, as it was sent.
 * `altered`: it did, but changed on its way. `no-answer`: it did, but its answer did not come back. `elsewhere`: something else
 * answered. `unreachable`: nothing did.
 */
export const addressTestSchema = z.object({
  url: z.string(),
  at: z.iso.datetime(),
  outcome: z.enum(['reached', 'altered', 'no-answer', 'elsewhere', 'unreachable']),
  /** What was found and what to do, as sentences. */
  message: z.string(),
  /** Of the answer; null where none came. */
  status: z.number().int().nullable(),
  ms: z.number(),
})
export type AddressTest = z.infer<typeof addressTestSchema>

export const tunnelStatusSchema = z.object({
  /**
   * `off`: none was asked for. `starting`: the program runs and has told no address yet. `up`. `failing`: it ended by itself, and is
   * started again at `nextTryAt`. `stopped`: by whoever asked, or given up; `problem` then says why.
   */
  state: z.enum(['off', 'starting', 'up', 'failing', 'stopped']),
  provider: tunnelProviderSchema.nullable(),
  /** The address that the tunnel has, null where it is not up. */
  url: z.string().nullable(),
  /** Where it leads: an address of the receiver. */
  target: z.string().nullable(),
  /** Since when it has been in this state. */
  since: z.iso.datetime().nullable(),
  problem: z.string().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  /** Addresses that tunnels had before, newest first: hooks that still point to one of them get nothing. */
  earlier: z.array(z.string()),
  /** The last test of the present public address, a pasted one too; null where it was not tested yet. */
  test: addressTestSchema.nullable(),
  testing: z.boolean(),
})
export type TunnelStatus = z.infer<typeof tunnelStatusSchema>

/** What a program for tunnels is found as on this machine. */
export const tunnelProgramSchema = z.object({
  provider: tunnelProviderSchema,
  /** Where it lies, null where it was not found. */
  path: z.string().nullable(),
  /** How to get it, as one line for a terminal; null where a page says it better. */
  install: z.string(),
  /** The page that tells more. */
  page: z.string(),
  /** The last characters of the token that is kept for it; null where none is kept, or none is needed. */
  tokenHint: z.string().nullable(),
  needsToken: z.boolean(),
})
export type TunnelProgram = z.infer<typeof tunnelProgramSchema>
