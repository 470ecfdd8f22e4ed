/** Commands about the handler check: requests to a developer's own endpoint that show whether it follows the spec. */
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
  /** All cases, in the order sent. */
  'check.cases': command(nothing, z.object({ cases: z.array(checkCaseSchema) })),
  /**
   * Starts a check and resolves before its first request is sent; `check.changed` reports progress. The secret is a hook's or
   * given, and isn't stored. Requests to a remote host that is not in `allowHosts` fail with `TARGET_NOT_ALLOWED`, which names the
   * host and the number of requests. A live hook or its secret requires `live: true`, else the command fails with
   * `CONFIRMATION_REQUIRED`.
   */
  'check.start': command(
    z.object({
      target: z.string().min(1),
      secret,
      /** Instead of a secret; also provides the registered URL, the event, the prefix and the custom headers. */
      hookId: z.string().optional(),
      /** The URL to sign; defaults to the hook's, else the target. */
      registeredUrl: z.string().min(1).nullable().default(null),
      /** Prefix of the header names; defaults to the hook's, else the saved handler's, else the current environment's. */
      prefix: z.string().min(1).nullable().default(null),
      headers: z.record(z.string(), z.string()).default({}),
      /** Events that the endpoint handles; defaults to the hook's, else all. */
      events: names,
      only: names,
      skip: names,
      /** Requests per second; 10 by default. */
      rate: z.number().positive().max(10_000).optional(),
      /** The same seed produces the same payloads. */
      seed: z.number().int().nonnegative().optional(),
      targetCa: targetCaSchema.default(null),
      allowHosts,
      live: z.boolean().default(false),
      /** Also sends program.status, a live-mode payload, to a test handler. With `live` it is always sent. */
      programStatus: z.boolean().default(false),
    }),
    run,
  ),
  /** Stops sending requests; resolves when those in progress have ended. */
  'check.cancel': command(z.object({ runId }), run),
  'check.get': command(z.object({ runId }), run),
  /** Newest first. */
  'check.list': command(
    z.object({ limit: z.number().int().min(1).max(200).default(50) }),
    z.object({ runs: z.array(checkSummarySchema) }),
  ),
  /** Sends one case of a run again with a fresh signature and replaces its result. Needs consent again. */
  'check.again': command(
    z.object({
      runId,
      name: z.string().min(1),
      secret,
      allowHosts,
      live: z.boolean().default(false),
    }),
    run,
  ),
  'check.report': command(
    z.object({ runId, format: z.enum(['json', 'junit', 'html']) }),
    z.object({ fileName: z.string(), mediaType: z.string(), text: z.string() }),
  ),
} as const
