/** Commands about the shrinker: the smallest body that a handler still fails on. */
import { z } from 'zod'
import { shrinkResultSchema, shrinkRunSchema } from '../../model/shrink.ts'
import { targetCaSchema } from '../../model/send.ts'
import { command } from './command.ts'

const runId = z.object({ runId: z.string().min(1) })

export const shrinkCommands = {
  /**
   * Sends a delivery again and again with less of its body, signed anew each time, while the handler fails alike. Resolves when it
   * has begun; `shrink.changed` tells the rest. Consents are those of `replay.start`.
   */
  'shrink.start': command(
    z.object({
      /** Also `latest`, `latest:EVENT`. */
      id: z.string().min(1),
      to: z.string().nullable().default(null),
      registeredUrl: z.string().min(1).nullable().default(null),
      hookId: z.string().nullable().default(null),
      /** A text that the answer has to hold, so that another failure with the same status is not taken for this one. */
      answerHolds: z.string().min(1).max(1_000).nullable().default(null),
      maxSends: z.number().int().min(10).max(100_000).default(500),
      maxSeconds: z.number().positive().max(86_400).default(600),
      rate: z.number().positive().max(100_000).nullable().default(null),
      targetCa: targetCaSchema.default(null),
      allowHosts: z.array(z.string().min(1)).max(100).default([]),
      live: z.boolean().default(false),
    }),
    z.object({ run: shrinkRunSchema }),
  ),
  /** Ends it; what is smallest so far stays. Resolves when nothing goes any more. */
  'shrink.cancel': command(runId, shrinkResultSchema),
  /** The last twenty of this instance are known. */
  'shrink.get': command(runId, shrinkResultSchema),
} as const
