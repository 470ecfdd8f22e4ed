/** Commands about flows: test-mode scenarios, run step by step. */
import { z } from 'zod'
import {
  FLOW_FILE_BYTES,
  flowPlanSchema,
  flowRunSchema,
  flowRunSummarySchema,
  flowSpeedSchema,
  flowSummarySchema,
} from '../../model/flow.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, literals, live, nothing, targetCa } from './command.ts'

/** A custom flow is sent as the text of its file; `file` is its name in errors, `path` its location if known. */
const flowSource = z.object({
  text: z.string().max(FLOW_FILE_BYTES),
  file: z.string(),
  path: z.string().optional(),
})
/** Either the name of a built-in flow or the text of a file. */
const whichFlow = { name: z.string().min(1).optional(), source: flowSource.optional() }
/** The developer's endpoint. Null: the steps that need it are skipped. */
const handlerSchema = z
  .object({
    url: z.string().min(1),
    /** The URL to sign; defaults to the handler's own. */
    registeredUrl: z.string().min(1).nullable().default(null),
    /** Defaults to the saved handler's. */
    secret: z.string().min(1).optional(),
    /**
     * Instead of a secret, one for each event; also provide registered URLs, prefix and custom
     * headers.
     */
    hookIds: z.array(z.string()).max(100).default([]),
    /** Defaults to the hooks', else the handler's, else the current environment's. */
    prefix: z.string().min(1).nullable().default(null),
    targetCa,
  })
  .nullable()
  .default(null)
const run = z.object({ run: flowRunSchema })
const runId = z.string().min(1)

export const flowCommands = {
  /** The built-in flows, in documentation order. */
  'flows.list': command(nothing, z.object({ flows: z.array(flowSummarySchema) })),
  /** One flow with its steps as displayed. An invalid file fails with `INVALID_FLOW`, which gives each problem with its place. */
  'flows.get': command(z.object(whichFlow), z.object({ flow: flowPlanSchema })),
  /**
   * Starts a run and resolves once it is running; `flows.changed` reports progress. A live-mode flow or a run in a live environment
   * requires `live: true`, else it fails with `CONFIRMATION_REQUIRED`. Nothing is sent to a remote handler whose host is not in
   * `allowHosts`.
   */
  'flows.start': command(
    z.object({
      ...whichFlow,
      /** Defaults to the sandbox, with objects and hooks of the run's own. In other environments the run waits for deliveries. */
      environment: option(
        z.string().min(1).optional(),
        "where to run it (default: the sandbox, in the flow's mode)",
        '<name>',
      ),
      /** Seconds of sandbox time per second of real time; `max` waits only for work in progress. */
      speed: flowSpeedSchema.default('max'),
      handler: handlerSchema,
      allowHosts,
      /** Fields to set in each triggered event that has them, sent exactly as written here. */
      literals: literals(
        'set an input of the flow (amount, currency, scheme, location) or a field in every triggered event that has it, as typed, for example amount=10.00 (repeatable)',
      ),
      /** Pauses before the first step. */
      paused: z.boolean().default(false),
      /** Steps before this one run as fast as possible; then the run pauses before it. */
      from: z.number().int().min(0).default(0),
      live: live('allow live-mode flows, and a live secret with --handler'),
    }),
    run,
  ),
  /** Runs a paused run up to and including the next step that does something, and pauses again. */
  'flows.step': command(z.object({ runId }), run),
  /** Pauses before the next step; the run's clock stops meanwhile. */
  'flows.pause': command(z.object({ runId }), run),
  'flows.resume': command(z.object({ runId }), run),
  'flows.setSpeed': command(z.object({ runId, speed: flowSpeedSchema }), run),
  /** Stops a run at its current step. */
  'flows.cancel': command(z.object({ runId }), run),
  /** Runs, newest first, of one flow or all. */
  'flows.runs': command(
    z.object({
      flow: option(z.string().optional(), 'only runs of this flow', '<name>'),
      limit: z.number().int().min(1).max(500).default(50),
    }),
    z.object({ runs: z.array(flowRunSummarySchema) }),
  ),
  'flows.run': command(z.object({ runId }), run),
  /** A run as a file: `html` is self-contained, `junit` is for CI. */
  'flows.report': command(
    z.object({ runId, format: z.enum(['html', 'junit']) }),
    z.object({ text: z.string() }),
  ),
} as const
