/** Handlers of `replay.*`. */
import type { replayCommands } from '../../shared/contract/nouns/replay.ts'
import { readQuery } from '../../shared/query/parse.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createReplayHandlers(services: Services): Pick<Handlers, keyof typeof replayCommands> {
  const { hooks, replays } = services
  return {
    'replay.start': async ({ query, ids, ...input }, { signal }) => {
      const parsed = query === undefined ? undefined : readQuery(query, { now: services.now(), hooks: hooks.list() })
      return { job: await replays.start({ ...input, ids, query: parsed }, signal) }
    },
    'replay.resume': async (input) => ({ job: await replays.resume(input) }),
    'replay.cancel': async ({ jobId }) => ({ job: await replays.cancel(jobId) }),
    'replay.get': async ({ jobId }) => ({ job: await replays.get(jobId) }),
    'replay.jobs': async ({ limit }) => ({ jobs: await replays.list(limit) }),
    'replay.sends': async (input) => ({ sends: await replays.sends(input) }),
    'replay.ofDelivery': async ({ id, limit }) => ({ sends: await replays.sendsOf({ deliveryId: id, limit }) }),
    'replay.send': ({ id }) => replays.send(id),
  }
}
