/** Commands about flows: business processes of the service, walked step by step. */
import { z } from 'zod'
import {
  flowPlanSchema,
  flowRunComparisonSchema,
  flowRunSchema,
  flowRunSummarySchema,
  flowSpeedSchema,
  flowSummarySchema,
} from '../../model/flow-run.ts'
import { FLOW_FILE_BYTES } from '../../model/flow.ts'
import { literalsSchema } from '../../model/replay-edits.ts'
import { targetCaSchema } from '../../model/send.ts'
import { command, nothing } from './command.ts'

/** A flow of one's own travels as the text of its file; `file` is what errors call it, `path` where it lies, as far as that is known. */
const flowSource = z.object({ text: z.string().max(FLOW_FILE_BYTES), file: z.string(), path: z.string().optional() })
/** Either a built-in one by its name, or the text of a file. */
const whichFlow = { name: z.string().min(1).optional(), source: flowSource.optional() }
const run = z.object({ run: flowRunSchema })
const runId = z.string().min(1)

export const flowCommands = {
  /** The built-in flows, in the order of the documentation. */
  'flows.list': command(nothing, z.object({ flows: z.array(flowSummarySchema) })),
  /** One flow with its steps as they are drawn. A file that breaks the rules is refused with `INVALID_FLOW`, each problem with its place. */
  'flows.get': command(z.object(whichFlow), z.object({ flow: flowPlanSchema })),
  /**
   * Begins a run and resolves once it goes; `flows.changed` tells the rest. A flow of live mode, or a run in a live environment,
   * wants `live: true`, else it is refused with `CONFIRMATION_REQUIRED`. Nothing goes to a handler beyond this machine whose host
   * is not in `allowHosts`.
   */
  'flows.start': command(
    z.object({
      ...whichFlow,
      /** By default the sandbox, with objects and hooks of the run's own. Another environment's deliveries are waited for. */
      environment: z.string().min(1).optional(),
      /** How many seconds of business time pass in one of the wall clock; `max` waits for nothing but what is under way. */
      speed: flowSpeedSchema.default('max'),
      handler: z
        .object({
          url: z.string().min(1),
          /** The URL that is signed; by default the handler's own. */
          registeredUrl: z.string().min(1).nullable().default(null),
          secret: z.string().min(1),
          targetCa: targetCaSchema.default(null),
        })
        .nullable()
        .default(null),
      allowHosts: z.array(z.string().min(1)).max(100).default([]),
      /** Fields to set in each event that is triggered and has them, sent as they are written here. */
      literals: literalsSchema.optional(),
      /** Waits before the first step. */
      paused: z.boolean().default(false),
      /** What comes before this step goes as fast as possible. */
      from: z.number().int().min(0).default(0),
      live: z.boolean().default(false),
    }),
    run,
  ),
  /** Runs the next step of a paused run, and pauses again. */
  'flows.step': command(z.object({ runId }), run),
  /** Pauses before the next step; the clock of the run stands still meanwhile. */
  'flows.pause': command(z.object({ runId }), run),
  'flows.resume': command(z.object({ runId }), run),
  /** Changes the speed of a run that goes. */
  'flows.setSpeed': command(z.object({ runId, speed: flowSpeedSchema }), run),
  /** Ends a run where it is. */
  'flows.cancel': command(z.object({ runId }), run),
  /** Runs, newest first, of one flow or all. */
  'flows.runs': command(
    z.object({ flow: z.string().optional(), limit: z.number().int().min(1).max(500).default(50) }),
    z.object({ runs: z.array(flowRunSummarySchema) }),
  ),
  'flows.run': command(z.object({ runId }), run),
  /** Two runs of one flow, step by step. */
  'flows.compare': command(z.object({ before: runId, after: runId }), flowRunComparisonSchema),
  /** A run as a file: `html` needs nothing from anywhere, `junit` is for CI. */
  'flows.report': command(
    z.object({ runId, format: z.enum(['html', 'junit', 'svg', 'mermaid']) }),
    z.object({ text: z.string() }),
  ),
} as const
