/** Commands about the search for the smallest failing body. */
import { z } from 'zod'
import { shrinkResultSchema, shrinkRunSchema } from '../../model/shrink.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, live, targetCa } from './command.ts'

const runId = z.object({ runId: z.string().min(1) })

export const shrinkCommands = {
  /**
   * Sends a delivery with less and less of its body, while the handler fails alike. Needs the
   * consent of `replay.start`.
   */
  'shrink.start': command(
    z.object({
      id: z.string().min(1),
      to: option(
        z.string().nullable().default(null),
        "your endpoint: a URL or @NAME (default: your current handler, else the registered URL of the delivery's hook)",
        '<url>',
      ),
      registeredUrl: option(
        z.string().min(1).nullable().default(null),
        "registered URL of the signature (default: the hook's)",
        '<url>',
      ),
      hookId: option(
        z.string().nullable().default(null),
        "hook whose secret signs (default: the delivery's hook)",
        '--hook <id>',
      ),
      answerHolds: option(
        z.string().min(1).max(1_000).nullable().default(null),
        'count only failures whose response contains this text',
        '--answer <text>',
      ),
      maxSends: option(
        z.number().int().min(10).max(100_000).default(500),
        'max sends, 10 or more',
        '<n>',
      ),
      maxSeconds: option(
        z.number().positive().max(86_400).default(600),
        'max seconds',
        '--max-time <seconds>',
      ),
      rate: option(
        z.number().positive().max(100_000).nullable().default(null),
        'max sends per second',
        '<n>',
      ),
      targetCa,
      allowHosts,
      live: live("allow signing with a live hook's secret"),
    }),
    z.object({ run: shrinkRunSchema }),
  ),
  'shrink.cancel': command(runId, shrinkResultSchema),
  'shrink.get': command(runId, shrinkResultSchema),
} as const
