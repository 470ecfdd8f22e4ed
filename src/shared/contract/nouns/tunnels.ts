/** Commands about tunnels: tools that give the receiver a public URL. */
import { z } from 'zod'
import { addressTestSchema, tunnelProviderSchema, tunnelStatusSchema } from '../../model/status.ts'
import { option } from '../../model/field-words.ts'
import { command, nothing } from './command.ts'

export const tunnelCommands = {
  'tunnels.status': command(nothing, tunnelStatusSchema),
  /**
   * Starts a tunnel to the receiver, replacing a running one. Resolves when it is up; its URL is then the public URL.
   * `TUNNEL_UNAVAILABLE` if the tool isn't installed or prints no URL.
   */
  'tunnels.start': command(
    z.object({
      provider: tunnelProviderSchema,
      domain: option(
        z
          .string()
          .regex(/^[a-zA-Z0-9.-]+$/, 'Enter a domain without https://')
          .nullable()
          .default(null),
        'ngrok: your domain (default: one that ngrok assigns)',
        '<domain>',
      ),
    }),
    tunnelStatusSchema,
  ),
  /** Stops the tunnel; if its URL is the public URL, that is cleared too. */
  'tunnels.stop': command(nothing, tunnelStatusSchema),
  /** Sends a request to the public URL and reports whether it arrives. Nothing is stored. */
  'tunnels.test': command(nothing, addressTestSchema),
} as const
