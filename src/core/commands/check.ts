/** Handlers of `check.*`. */
import type { checkCommands } from '../../shared/contract/nouns/check.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { checkCases } from '../handler-check/cases/all.ts'
import { wordsOf } from '../handler-check/run-check.ts'
import type { Services } from './services.ts'

export function createCheckHandlers({ checks }: Services): Pick<Handlers, keyof typeof checkCommands> {
  return {
    'check.cases': () => Promise.resolve({ cases: checkCases.map(wordsOf) }),
    'check.start': async ({ allowHosts, live, ...input }) => ({
      run: await checks.start({ ...input, consent: { allowHosts, live } }),
    }),
    'check.cancel': async ({ runId }) => ({ run: await checks.cancel(runId) }),
    'check.get': async ({ runId }) => ({ run: await checks.get(runId) }),
    'check.list': async ({ limit }) => ({ runs: await checks.list(limit) }),
    'check.again': async ({ allowHosts, live, ...input }) => ({
      run: await checks.again({ ...input, consent: { allowHosts, live } }),
    }),
    'check.report': (input) => checks.report(input),
  }
}
