/** One client an account, kept while the core runs: a token is then asked for once, and not with every call (section 5.3). */
import { createApiClient, type ApiAccount, type ApiClient } from './api-client.ts'

export interface Clients {
  /** The client of an account; an account that was changed is another one. */
  of(account: ApiAccount): ApiClient
  /** Ends what is under way. */
  close(): Promise<void>
}

export function createClients(clock: { now(): number; monotonic(): number }): Clients {
  const clients = new Map<string, ApiClient>()
  return {
    of(account) {
      const key = JSON.stringify(account)
      const known = clients.get(key)
      if (known !== undefined) return known
      const client = createApiClient(account, clock)
      clients.set(key, client)
      return client
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}
