/** Handlers of `exchange.*`. */
import type { exchangeCommands } from '../../shared/contract/nouns/exchange.ts'
import { readQuery } from '../../shared/query/parse.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { exportPiece } from '../exchange/exporter.ts'
import { maskingOf } from '../exchange/known-secrets.ts'
import { maskingFor } from '../exchange/masked-delivery.ts'
import type { Services } from './services.ts'

export function createExchangeHandlers(services: Services): Pick<Handlers, keyof typeof exchangeCommands> {
  const { hooks, importer, longLines } = services
  return {
    'exchange.export': ({ query, ids, from, to, format, includeSecrets }, { signal }) =>
      exportPiece(services, {
        ids,
        query: readQuery(query ?? '', { now: services.now(), hooks: hooks.list() }),
        from,
        to,
        format,
        includeSecrets,
        signal,
      }),
    'exchange.mask': async ({ ids, texts }) => {
      const deliveries = await Promise.all(ids.map((id) => services.store.read('get', id)))
      const known = await maskingOf(services)
      const masking = deliveries.reduce((sum, delivery) => maskingFor(delivery, sum), known)
      return { texts: texts.map((text) => masking.text(text)) }
    },
    'exchange.import': ({ lines, begun }) => importer.import(lines, begun === null ? null : longLines.end(begun)),
    'exchange.importPiece': async ({ begun, text }) => ({ begun: longLines.add(begun, text) }),
  }
}
