/** Commands about the tunnel to the receiver. */
import { z } from 'zod'
import { addressTestSchema, tunnelProviderSchema, tunnelStatusSchema } from '../../model/tunnel.ts'
import { option } from '../../model/field-words.ts'
import { command, nothing } from './command.ts'

export const tunnelCommands = {
  'tunnels.status': command(nothing, tunnelStatusSchema),
  /** Resolves when the tunnel's URL is the public URL. Fails with `TUNNEL_UNAVAILABLE`. */
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
  'tunnels.stop': command(nothing, tunnelStatusSchema),
  'tunnels.test': command(nothing, addressTestSchema),
} as const
