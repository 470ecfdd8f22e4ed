/** Commands about what a body says, beyond its bytes: those are `deliveries.body`. */
import { z } from 'zod'
import { command } from './command.ts'
import { BODY_CHUNK } from './deliveries.ts'

/** A delivery's id, `latest`, or `latest:EVENT`. */
const deliveryRef = z.string().min(1)

export const bodyCommands = {
  /**
   * A piece of the body with its `content-encoding` undone, Base-64; `size` is that of all that is decoded. `end`: `whole`,
   * `limit` where there is more than is decoded, `broken` where it is not what its header says. What no header names, or names
   * wrongly, is decoded as what its first bytes say, and `problem` says so. The bytes received stay what they are: signatures
   * are over them.
   */
  'bodies.decoded': command(
    z.object({
      id: deliveryRef,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(BODY_CHUNK).default(BODY_CHUNK),
    }),
    z.object({
      /** Those that were undone, in the order in which they were applied; none where the bytes are as they were sent. */
      encodings: z.array(z.string()),
      offset: z.number().int(),
      size: z.number().int(),
      receivedSize: z.number().int(),
      base64: z.string(),
      end: z.enum(['whole', 'limit', 'broken']),
      problem: z.string().nullable(),
    }),
  ),
  /** Paths of the fields that no earlier delivery of the same event had, such as `card.metadata.tier` or `items[].id`. */
  'bodies.newFields': command(z.object({ id: deliveryRef }), z.object({ paths: z.array(z.string()) })),
} as const
