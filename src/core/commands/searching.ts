/** What the search bar asks beside the list itself: what could be typed next, and which of the rows in view match. */
import type { Handlers } from '../../shared/rpc/router.ts'
import type { StoredValues } from '../../shared/query/complete.ts'
import { hookNames } from '../../shared/query/meaning.ts'
import { readQuery } from '../../shared/query/parse.ts'
import type { Services } from './services.ts'

/** While deliveries stream in, what is stored is looked through this often at most. */
const KEPT_MS = 2_000

export function createSearchingHandlers(services: Services): Pick<Handlers, 'deliveries.suggest' | 'deliveries.matching'> {
  const { store, hooks } = services
  let kept: {
    readonly at: number
    readonly total: number
    readonly values: Promise<Omit<StoredValues, 'hooks' | 'environments'>>
  } | null = null
  return {
    'deliveries.suggest': async () => {
      const total = store.total()
      const now = services.now()
      if (kept === null || (kept.total !== total && now - kept.at > KEPT_MS))
        kept = { at: now, total, values: store.read('storedValues', null) }
      const values = await kept.values.catch((error: unknown) => {
        kept = null
        throw error
      })
      return {
        ...values,
        environments: services.environments.all().map(({ name }) => name),
        hooks: [...new Set(hooks.list().map((hook) => hookNames(hook)[0] ?? hook.id))],
      }
    },
    'deliveries.matching': async ({ query, seqs }) => ({
      seqs: await store.read('matching', { query: readQuery(query, { now: services.now(), hooks: hooks.list() }), seqs }),
    }),
  }
}
