/** Handlers of marks, deletion, retention and storage. */
import { AppError } from '../../shared/contract/errors.ts'
import type { keepingCommands } from '../../shared/contract/nouns/keeping.ts'
import { readIdentifiedQuery, readQuery } from '../../shared/query/parse.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createKeepingHandlers(services: Services): Pick<Handlers, keyof typeof keepingCommands> {
  const { keeping, store, hooks } = services
  return {
    'marks.set': async ({ ids, marks }) => {
      await store.settled()
      return { count: await keeping.mark(ids, marks) }
    },
    'deliveries.delete': async ({ ids, query, ...how }, { signal }) => {
      if ((ids === undefined) === (query === undefined))
        throw new AppError('INVALID_INPUT', 'Name the deliveries to delete by their ids, or by a query; one of the two.')
      const surroundings = { now: services.now(), hooks: hooks.list() }
      const parsed = readIdentifiedQuery(query ?? '', surroundings)
      return keeping.remove({ ids, query: parsed, listed: readQuery(query ?? '', surroundings), ...how, signal })
    },
    'deliveries.restore': async ({ deletion }) => ({ count: await keeping.restore(deletion) }),
    'retention.preview': (limits, { signal }) => keeping.preview(limits, signal),
    'storage.get': async () => ({ storage: await keeping.storage(), compaction: keeping.compactor.current() }),
    'storage.compact': () => keeping.compactor.run(),
    'storage.cancelCompaction': async () => {
      keeping.compactor.cancel()
      return {}
    },
  }
}
