/** Handlers of `exchange.*`. */
import type { exchangeCommands } from '../../shared/contract/nouns/exchange.ts'
import { readQuery } from '../../shared/query/parse.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { exportPiece } from '../exchange/exporter.ts'
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
    'exchange.import': ({ lines: [first = '', ...others], begun }) =>
      importer.import([begun === null ? first : longLines.end(begun) + first, ...others]),
    'exchange.importPiece': async ({ begun, text }) => ({ begun: longLines.add(begun, text) }),
  }
}
