/** Handlers of `flows.*`. */
import type { flowCommands } from '../../shared/contract/nouns/flows.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { reportFlow } from '../flows/reports.ts'
import type { Services } from './services.ts'

export function createFlowHandlers({ flows, status }: Services): Pick<Handlers, keyof typeof flowCommands> {
  return {
    'flows.list': () => Promise.resolve({ flows: flows.list() }),
    'flows.get': (which) => Promise.resolve({ flow: flows.get(which) }),
    'flows.start': async (input) => ({ run: await flows.start(input) }),
    'flows.step': async ({ runId }) => ({ run: await flows.step(runId) }),
    'flows.pause': async ({ runId }) => ({ run: await flows.pause(runId) }),
    'flows.resume': async ({ runId }) => ({ run: await flows.resume(runId) }),
    'flows.setSpeed': async ({ runId, speed }) => ({ run: await flows.setSpeed(runId, speed) }),
    'flows.cancel': async ({ runId }) => ({ run: await flows.cancel(runId) }),
    'flows.runs': async ({ flow, limit }) => ({ runs: await flows.runs({ flow, limit }) }),
    'flows.run': async ({ runId }) => ({ run: await flows.run(runId) }),
    'flows.compare': ({ before, after }) => flows.compare(before, after),
    'flows.report': async ({ runId, format }) => ({
      text: reportFlow(await flows.run(runId), format, (await status()).version),
    }),
  }
}
