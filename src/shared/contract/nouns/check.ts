/** Commands about the handler check: requests to a developer's own endpoint that show whether it keeps to the interface. */
import { z } from 'zod'
import { checkCaseSchema, checkRunSchema, checkSummarySchema } from '../../model/check.ts'
import { targetCaSchema } from '../../model/send.ts'
import { command, nothing } from './command.ts'

const runId = z.string().min(1)
const run = z.object({ run: checkRunSchema })
const allowHosts = z.array(z.string().min(1)).max(100).default([])
const names = z.array(z.string().min(1)).max(100).default([])
const secret = z.string().min(1).max(1_000).optional()

export const checkCommands = {
  /** Every case, in the order in which they are sent. */
  'check.cases': command(nothing, z.object({ cases: z.array(checkCaseSchema) })),
  /**
   * Begins a check and resolves before its first request goes; `check.changed` tells the rest. The secret is a hook's or is given; it
   * is not kept. Nothing goes to a host beyond this machine that is not in `allowHosts`: `TARGET_NOT_ALLOWED` then names the host
   * and the number of requests. A hook of a live environment, or the secret of one, wants `live: true`, else all is refused with
   * `CONFIRMATION_REQUIRED`.
   */
  'check.start': command(
    z.object({
      target: z.string().min(1),
      secret,
      /** In place of a secret; it also gives the registered URL, the event, the prefix and the custom headers. */
      hookId: z.string().optional(),
      /** The URL that is signed; by default the hook's, else the target. */
      registeredUrl: z.string().min(1).nullable().default(null),
      /** Of the header names. */
      prefix: z.string().min(1).default('service'),
      headers: z.record(z.string(), z.string()).default({}),
      /** Events that the endpoint is for; by default the hook's, else all. */
      events: names,
      only: names,
      skip: names,
      /** Requests a second; by default 10. */
      rate: z.number().positive().max(10_000).optional(),
      /** The same seed makes the same payloads. */
      seed: z.number().int().nonnegative().optional(),
      targetCa: targetCaSchema.default(null),
      allowHosts,
      live: z.boolean().default(false),
      /** Sends program.status, which says that it is live, to a handler of test. With `live` it goes, too. */
      programStatus: z.boolean().default(false),
    }),
    run,
  ),
  /** No further request goes; resolves when those under way have ended. */
  'check.cancel': command(z.object({ runId }), run),
  'check.get': command(z.object({ runId }), run),
  /** Newest first. */
  'check.list': command(
    z.object({ limit: z.number().int().min(1).max(200).default(50) }),
    z.object({ runs: z.array(checkSummarySchema) }),
  ),
  /** Sends one case of a run once more, signed anew, and puts its result in the place of the old one. A consent is given anew. */
  'check.again': command(z.object({ runId, name: z.string().min(1), secret, allowHosts, live: z.boolean().default(false) }), run),
  'check.report': command(
    z.object({ runId, format: z.enum(['json', 'junit', 'html']) }),
    z.object({ fileName: z.string(), mediaType: z.string(), text: z.string() }),
  ),
} as const
