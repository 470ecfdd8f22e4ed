/** The handlers of the receiver commands. */
import type { receiverCommands } from '../../shared/contract/nouns/receiver.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createReceiverHandlers(services: Services): Pick<Handlers, keyof typeof receiverCommands> {
  return {
    'receiver.setPublicUrl': ({ url }) => services.setPublicUrl(url),
    'receiver.pause': () => services.pauseReceiver(),
    'receiver.resume': () => services.resumeReceiver(),
  }
}
