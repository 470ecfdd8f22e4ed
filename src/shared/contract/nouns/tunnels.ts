/** Commands about tunnels: tools that give the receiver a public URL. */
import { z } from 'zod'
import {
  addressTestSchema,
  tunnelProgramSchema,
  tunnelProviderSchema,
  tunnelStatusSchema,
} from '../../model/tunnel.ts'
import { command, nothing } from './command.ts'

const programs = z.object({ programs: z.array(tunnelProgramSchema) })

export const tunnelCommands = {
  'tunnels.status': command(nothing, tunnelStatusSchema),
  /** The tunnel tools found on this computer, and how to get the others. */
  'tunnels.programs': command(nothing, programs),
  /** Stores a tool's token in the vault, or deletes it. */
  'tunnels.setToken': command(
    z.object({ provider: z.literal('ngrok'), token: z.string().trim().min(1).max(500).nullable() }),
    programs,
  ),
  /**
   * Starts a tunnel to the receiver, replacing a running one. Resolves once it is starting; `tunnels.changed` reports progress.
   * When it is up, its URL becomes the public URL. `TUNNEL_UNAVAILABLE` if the tool isn't installed.
   */
  'tunnels.start': command(
    z.object({
      provider: tunnelProviderSchema,
      /** For ngrok: a domain of the account; by default, the one assigned by ngrok. */
      domain: z
        .string()
        .regex(/^[a-zA-Z0-9.-]+$/, 'Enter a domain without https://')
        .nullable()
        .default(null),
    }),
    tunnelStatusSchema,
  ),
  /** Stops the tunnel; if its URL is the public URL, that is cleared too. */
  'tunnels.stop': command(nothing, tunnelStatusSchema),
  /** Sends a request to the public URL and reports whether it arrives. Nothing is stored. */
  'tunnels.test': command(nothing, addressTestSchema),
} as const
