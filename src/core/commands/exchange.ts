/** Handlers of the commands that export, import, mask and verify deliveries. */
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { exportPiece } from '../import-export/exporter.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { maskingFor } from '../import-export/masked-records.ts'
import { verifyReported } from './verify-reported.ts'
import type { Services } from './services.ts'

/** Returns the masking of all known secrets and those of the deliveries. */
async function maskingAbout(
  services: Services,
  { ids, masked }: Omit<HandlerInput<'exchange.mask'>, 'value'>,
) {
  const deliveries = await Promise.all(ids.map((id) => services.store.read('get', id)))
  const knownMasking = await maskingOf(services, masked)
  return deliveries.reduce((masking, delivery) => maskingFor(delivery, masking), knownMasking)
}

export function createExchangeHandlers(services: Services) {
  return {
    'exchange.export': (piece, { signal }) => exportPiece(services, { ...piece, signal }),
    'exchange.share': (piece, { signal }) => services.sharing.add({ ...piece, signal }),
    'exchange.mask': async ({ value, ...about }) => ({
      value: (await maskingAbout(services, about)).texts(value),
    }),
    'exchange.places': async ({ text, isCut, ...about }) => ({
      places: [...(await maskingAbout(services, about)).places(text, isCut)],
    }),
    'exchange.import': services.importer.add,
    'exchange.decrypt': async (piece) => {
      const stream = piece.stream ?? services.ids.next()
      return { stream, base64: await services.encryption.decrypt({ ...piece, stream }) }
    },
    'exchange.verify': (input, { signal }) => verifyReported(services, input, signal),
  } satisfies Partial<Handlers>
}
