/** Handlers of the commands that run flows. */
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import type { HandlerOptions } from '../flows/run-handler.ts'
import { checkPrefix } from '../hooks/environments.ts'
import { signersOfHooks } from '../hooks/event-signers.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { payloadsOfRun } from './flow-payloads.ts'
import type { Services } from './services.ts'
import { endpointPrefix, resolveSigned } from './signed-endpoint.ts'

export function createFlowHandlers(services: Services) {
  const { flows } = services
  return {
    'flows.list': () => Promise.resolve({ flows: flows.list() }),
    'flows.get': (which) => Promise.resolve({ flow: flows.get(which) }),
    'flows.start': async ({ handler, ...input }, { consent }) => ({
      run: await flows.start({
        ...input,
        handler: await handlerOfFlow(services, handler),
        consent,
      }),
    }),
    'flows.step': async ({ runId }) => ({ run: await flows.step(runId) }),
    'flows.pause': async ({ runId }) => ({ run: await flows.pause(runId) }),
    'flows.resume': async ({ runId }) => ({ run: await flows.resume(runId) }),
    'flows.setSpeed': async ({ runId, speed }) => ({ run: await flows.setSpeed(runId, speed) }),
    'flows.cancel': async ({ runId }) => ({ run: await flows.cancel(runId) }),
    'flows.runs': async ({ flow, limit }) => ({ runs: await flows.runs({ flow, limit }) }),
    'flows.run': async ({ runId }) => ({ run: await flows.run(runId) }),
    'flows.report': (input) => reportRun(services, input),
  } satisfies Partial<Handlers>
}

/** Resolves a flow's endpoint with its signers. Rejects with `INVALID_INPUT` without a secret. */
async function handlerOfFlow(
  services: Services,
  input: ParsedInputOf<'flows.start'>['handler'],
): Promise<HandlerOptions | null> {
  if (input === null) return null
  if (input.prefix !== null) checkPrefix(input.prefix)
  const { savedHandlers, hooks } = services
  const { secret, hookIds, ...endpoint } = await resolveSigned(services, input.url, input)
  if (secret === null && hookIds.length === 0)
    throw new AppError('INVALID_INPUT', "Enter your handler's secret.")
  return {
    ...endpoint,
    signers:
      hookIds.length > 0
        ? await signersOfHooks(hooks, hookIds, secret ?? undefined)
        : [{ event: null, secret: secret ?? '', url: null, headers: {} }],
    prefix: input.prefix ?? endpointPrefix(services, { ...endpoint, hookIds }),
    saved: endpoint.handler ?? savedHandlers.at(endpoint.url),
  }
}

/** Loads reports on demand, because the diagrams are large. */
const flowReports = () => import('../flows/reports.ts')

async function reportRun(
  services: Services,
  { runId, format }: HandlerInput<'flows.report'>,
): Promise<OutputOf<'flows.report'>> {
  const masking = await maskingOf(services, 'strict')
  const run = masking.texts(await services.flows.run(runId))
  const payloads = format === 'html' ? await payloadsOfRun(services, run, masking) : undefined
  const { reportFlow } = await flowReports()
  return { text: reportFlow(run, format, (await services.status()).version, payloads) }
}
