/** Handlers of the commands that check the user's handler, and shrink a failing delivery. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { checkCases } from '../check/cases.ts'
import { caseTexts } from '../check/run-cases.ts'
import { resolveReplay } from './replay-target.ts'
import type { Services } from './services.ts'
import { endpointPrefix, resolveSigned } from './signed-endpoint.ts'

export function createCheckHandlers(services: Services) {
  const { savedHandlers, shrinks, checks } = services
  return {
    'check.cases': () => Promise.resolve({ cases: checkCases.map(caseTexts) }),
    'check.start': (input, { consent }) => startCheck(services, input, consent),
    'check.cancel': async ({ runId }) => ({ run: await checks.cancel(runId) }),
    'check.get': async ({ runId }) => ({ run: await checks.get(runId) }),
    'check.list': async ({ limit }) => ({ runs: await checks.list(limit) }),
    'check.again': async (input, { consent }) => ({
      run: await checks.again({ ...input, consent }),
    }),
    'check.report': checks.report,
    'shrink.start': async (input, { consent }) => ({
      run: await shrinks.start({
        ...input,
        ...(await resolveReplay(savedHandlers, input)),
        consent,
      }),
    }),
    'shrink.cancel': ({ runId }) => shrinks.cancel(runId),
    'shrink.get': async ({ runId }) => shrinks.get(runId),
  } satisfies Partial<Handlers>
}

async function startCheck(
  services: Services,
  input: HandlerInput<'check.start'>,
  consent: Consent,
): Promise<OutputOf<'check.start'>> {
  const { secret, handler: _, ...endpoint } = await resolveSigned(services, input.target, input)
  const run = await services.checks.start({
    ...input,
    ...endpoint,
    secret: secret ?? undefined,
    prefix: input.prefix ?? endpointPrefix(services, endpoint),
    target: endpoint.url,
    consent,
  })
  return { run }
}
