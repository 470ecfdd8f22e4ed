/** Handlers of `shrink.*`. */
import type { shrinkCommands } from '../../shared/contract/nouns/shrink.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createShrinkHandlers({ shrinks }: Services): Pick<Handlers, keyof typeof shrinkCommands> {
  return {
    'shrink.start': async (input) => ({ run: await shrinks.start(input) }),
    'shrink.cancel': ({ runId }) => shrinks.cancel(runId),
    'shrink.get': async ({ runId }) => shrinks.get(runId),
  }
}
