/** Commands about tunnels: programs that give the receiver a public address. */
import { z } from 'zod'
import { addressTestSchema, tunnelProgramSchema, tunnelProviderSchema, tunnelStatusSchema } from '../../model/tunnel.ts'
import { command, nothing } from './command.ts'

const programs = z.object({ programs: z.array(tunnelProgramSchema) })

export const tunnelCommands = {
  'tunnels.status': command(nothing, tunnelStatusSchema),
  /** Which programs are found on this machine, and how to get those that are not. */
  'tunnels.programs': command(nothing, programs),
  /** Keeps the token of a program in the vault, or forgets it. */
  'tunnels.setToken': command(
    z.object({ provider: z.literal('ngrok'), token: z.string().trim().min(1).max(500).nullable() }),
    programs,
  ),
  /**
   * Starts a tunnel to the receiver, in place of one that runs. Resolves once it is being started; `tunnels.changed` tells the rest.
   * When it is up, its address becomes the public one. `TUNNEL_UNAVAILABLE` where the program is not installed.
   */
  'tunnels.start': command(
    z.object({
      provider: tunnelProviderSchema,
      /** Of ngrok: a domain that the account has; by default the one that the service gives. */
      domain: z
        .string()
        .regex(/^[a-zA-Z0-9.-]+$/, 'A domain, without https://')
        .nullable()
        .default(null),
    }),
    tunnelStatusSchema,
  ),
  /** Ends the tunnel; where its address is the public one, there is none afterwards. */
  'tunnels.stop': command(nothing, tunnelStatusSchema),
  /** Sends a request to the public address and tells whether it arrives here. Nothing is stored of it. */
  'tunnels.test': command(nothing, addressTestSchema),
} as const
