/** Commands about runs of the handler check. */
import { z } from 'zod'
import { checkCaseSchema, checkRunSchema, checkSummarySchema } from '../../model/check.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, literals, live, nothing, targetCa } from './command.ts'

const runId = z.string().min(1)
const run = z.object({ run: checkRunSchema })
const names = () => z.array(z.string().min(1)).max(100).default([])
const secret = z.string().min(1).max(1_000).optional()

export const checkCommands = {
  'check.cases': command(nothing, z.object({ cases: z.array(checkCaseSchema) })),
  /**
   * Resolves before the first request; `check.changed` reports progress. Fails with
   * `TARGET_NOT_ALLOWED` or `CONFIRMATION_REQUIRED` without consent.
   */
  'check.start': command(
    z.object({
      target: z.string().min(1),
      secret,
      hookIds: option(
        z.array(z.string()).max(100).default([]),
        'hook whose secret signs its event, over its URL and with its prefix (repeatable)',
        '--hook <id>',
      ),
      registeredUrl: option(
        z.string().min(1).nullable().default(null),
        "registered URL, as configured in your handler (default: the hook's, else the endpoint)",
        '<url>',
      ),
      prefix: option(
        z.string().min(1).nullable().default(null),
        "prefix of the header names (default: the hook's, else the handler's, else the current environment's)",
        '<name>',
      ),
      headers: option(
        z.record(z.string(), z.string()).default({}),
        'custom header of the hook (repeatable)',
        "--header <'Name: value'>",
        { kind: 'headers' },
      ),
      events: option(
        names(),
        'event your handler expects (repeatable; default: all)',
        '--event <type>',
      ),
      literals: literals(
        'set a field in every payload that has it, as typed, such as a card your handler knows: card.id=… (repeatable)',
      ),
      only: option(
        names(),
        'run only this case or group; * matches any characters (repeatable)',
        '<name>',
      ),
      skip: option(names(), 'skip this case or group (repeatable)', '<name>'),
      rate: option(
        z.number().positive().max(10_000).optional(),
        'max requests per second (default: 10)',
        '<n>',
      ),
      seed: option(
        z.number().int().nonnegative().optional(),
        'repeat the payloads of an earlier run',
        '<n>',
      ),
      targetCa,
      allowHosts,
      live: live('allow live secrets and live-mode payloads'),
      /** Implied by `live`. */
      programStatus: option(
        z.boolean().default(false),
        'include program.status, a live-mode payload, for a test handler',
      ),
    }),
    run,
  ),
  /** Resolves when requests in progress have ended. */
  'check.cancel': command(z.object({ runId }), run),
  'check.get': command(z.object({ runId }), run),
  'check.list': command(
    z.object({ limit: z.number().int().min(1).max(200).default(50) }),
    z.object({ runs: z.array(checkSummarySchema) }),
  ),
  /** Sends a case again and replaces its result. Needs consent again. */
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
