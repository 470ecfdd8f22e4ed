/** The handlers of the receiver commands. */
import type { receiverCommands } from '../../shared/contract/nouns/receiver.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { readPublicAddress } from '../tunnels/public-address.ts'
import type { Services } from './services.ts'

export function createReceiverHandlers(services: Services): Pick<Handlers, keyof typeof receiverCommands> {
  return {
    'receiver.setPublicUrl': async ({ url }) => services.setPublicUrl(url === null ? null : readPublicAddress(url)),
    'receiver.pause': () => services.pauseReceiver(),
    'receiver.resume': () => services.resumeReceiver(),
  }
}
