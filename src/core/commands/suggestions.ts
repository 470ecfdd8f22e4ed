/** Values that complete a query, from the stored deliveries. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { StoredValues } from '../../shared/query/completions.ts'
import { hookNames } from '../../shared/query/interpret.ts'
import type { Services } from './services.ts'

/** Milliseconds that values are kept, even if deliveries arrive meanwhile. */
const REFRESH_MS = 2_000

interface CachedValues {
  readonly at: number
  readonly total: number
  readonly values: Promise<Omit<StoredValues, 'hooks' | 'environments'>>
}

export class QuerySuggestions {
  readonly #services: Services
  #cached: CachedValues | null = null

  constructor(services: Services) {
    this.#services = services
  }

  readonly read = async (): Promise<OutputOf<'deliveries.suggest'>> => {
    const { environments, hooks } = this.#services
    const values = await this.#storedValues().catch((error: unknown) => {
      this.#cached = null
      throw error
    })
    return {
      ...values,
      environments: environments.all().map(({ name }) => name),
      hooks: [...new Set(hooks.list().map((hook) => hookNames(hook)[0] ?? hook.id))],
    }
  }

  #storedValues(): CachedValues['values'] {
    const { store } = this.#services
    const total = store.total()
    const now = this.#services.now()
    const cached = this.#cached
    if (cached !== null && (cached.total === total || now - cached.at <= REFRESH_MS))
      return cached.values
    const values = store.read('storedValues', null)
    this.#cached = { at: now, total, values }
    return values
  }
}
