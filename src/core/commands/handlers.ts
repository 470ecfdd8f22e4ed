/** The handlers of every command of the contract, noun by noun. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { createAppHandlers } from './app.ts'
import { createBodyHandlers } from './bodies.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import { createEnvironmentHandlers } from './environments.ts'
import { createHookHandlers } from './hooks.ts'
import { createReceiverHandlers } from './receiver.ts'
import { createSandboxHandlers } from './sandbox.ts'
import type { Services } from './services.ts'

export function createHandlers(services: Services): Handlers {
  return {
    ...createAppHandlers(services),
    ...createDeliveryHandlers(services),
    ...createBodyHandlers(services),
    ...createHookHandlers(services),
    ...createEnvironmentHandlers(services),
    ...createReceiverHandlers(services),
    ...createSandboxHandlers(services),
  }
}
