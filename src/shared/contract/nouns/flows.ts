/** Commands that plan and run flows. */
import { z } from 'zod'
import { FLOW_FILE_BYTES } from '../../model/flow.ts'
import {
  flowPlanSchema,
  flowRunSchema,
  flowRunSummarySchema,
  flowSpeedSchema,
  flowSummarySchema,
} from '../../model/flow-run.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, literals, live, nothing, targetCa } from './command.ts'

/** Text of a custom flow; `file` is its name in errors. */
const flowSource = z.object({
  text: z.string().max(FLOW_FILE_BYTES),
  file: z.string(),
  path: z.string().optional(),
})
const whichFlow = { name: z.string().min(1).optional(), source: flowSource.optional() }
/** Developer's endpoint; without it, steps that need it are skipped. */
const handlerSchema = z
  .object({
    url: z.string().min(1),
    registeredUrl: z.string().min(1).nullable().default(null),
    secret: z.string().min(1).optional(),
    hookIds: z.array(z.string()).max(100).default([]),
    /** Default: the hooks', the handler's, or the current environment's. */
    prefix: z.string().min(1).nullable().default(null),
    targetCa,
  })
  .nullable()
  .default(null)
const run = z.object({ run: flowRunSchema })
const runId = z.string().min(1)

export const flowCommands = {
  'flows.list': command(nothing, z.object({ flows: z.array(flowSummarySchema) })),
  /** Fails with `INVALID_FLOW`, listing each problem and its place. */
  'flows.get': command(z.object(whichFlow), z.object({ flow: flowPlanSchema })),
  /**
   * Resolves once the run has started; `flows.changed` reports progress. Fails with
   * `CONFIRMATION_REQUIRED` for live mode without consent.
   */
  'flows.start': command(
    z.object({
      ...whichFlow,
      /** Outside the sandbox, the run waits for real deliveries. */
      environment: option(
        z.string().min(1).optional(),
        "where to run it (default: the sandbox, in the flow's mode)",
        '<name>',
      ),
      /** Sandbox seconds per real second. */
      speed: flowSpeedSchema.default('max'),
      handler: handlerSchema,
      allowHosts,
      literals: literals(
        'set an input of the flow (amount, currency, scheme, location) or a field in every triggered event that has it, as typed, for example amount=10.00 (repeatable)',
      ),
      paused: z.boolean().default(false),
      /** Step to reach as fast as possible, pausing before it. */
      from: z.number().int().min(0).default(0),
      live: live('allow live-mode flows, and a live secret with --handler'),
    }),
    run,
  ),
  /** Runs up to the end of the next step with an effect. */
  'flows.step': command(z.object({ runId }), run),
  /** Pauses the run before its next step, and the sandbox's clock. */
  'flows.pause': command(z.object({ runId }), run),
  'flows.resume': command(z.object({ runId }), run),
  'flows.setSpeed': command(z.object({ runId, speed: flowSpeedSchema }), run),
  'flows.cancel': command(z.object({ runId }), run),
  'flows.runs': command(
    z.object({
      flow: option(z.string().optional(), 'only runs of this flow', '<name>'),
      limit: z.number().int().min(1).max(500).default(50),
    }),
    z.object({ runs: z.array(flowRunSummarySchema) }),
  ),
  'flows.run': command(z.object({ runId }), run),
  'flows.report': command(
    z.object({ runId, format: z.enum(['html', 'junit']) }),
    z.object({ text: z.string() }),
  ),
} as const
