/** Commands about the shrinker, which finds the smallest body that a handler still fails on. */
import { z } from 'zod'
import { shrinkResultSchema, shrinkRunSchema } from '../../model/shrink.ts'
import { targetCaSchema } from '../../model/send.ts'
import { command } from './command.ts'

const runId = z.object({ runId: z.string().min(1) })

export const shrinkCommands = {
  /**
   * Sends a delivery repeatedly with less of its body, re-signed each time, while the handler fails the same way. Resolves when it
   * has started; `shrink.changed` reports progress. Needs the same consent as `replay.start`.
   */
  'shrink.start': command(
    z.object({
      /** An ID, `latest` or `latest:EVENT`. */
      id: z.string().min(1),
      to: z.string().nullable().default(null),
      registeredUrl: z.string().min(1).nullable().default(null),
      hookId: z.string().nullable().default(null),
      /** Text that the response must contain, so that another failure with the same status doesn't match. */
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
  /** Stops the search and keeps the smallest body so far. Resolves when no request is in progress. */
  'shrink.cancel': command(runId, shrinkResultSchema),
  /** The last twenty searches of this instance. */
  'shrink.get': command(runId, shrinkResultSchema),
} as const
