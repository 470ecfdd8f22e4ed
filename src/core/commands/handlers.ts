/** The handlers of every command of the contract, noun by noun. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { createAppHandlers } from './app.ts'
import { createBodyHandlers } from './bodies.ts'
import { createCheckHandlers } from './check.ts'
import { createCompareHandlers } from './compare.ts'
import { createDeliveryHandlers } from './deliveries.ts'
import { createEnvironmentHandlers } from './environments.ts'
import { createExchangeHandlers } from './exchange.ts'
import { createForwardHandlers } from './forward.ts'
import { createFlowHandlers } from './flows.ts'
import { createHookHandlers } from './hooks.ts'
import { createKeepingHandlers } from './keeping.ts'
import { createLifecycleHandlers } from './lifecycle.ts'
import { createReceiverHandlers } from './receiver.ts'
import { createRepairHandlers } from './repair.ts'
import { createReplayHandlers } from './replay.ts'
import { createSandboxHandlers } from './sandbox.ts'
import { createSearchingHandlers } from './searching.ts'
import { createSettingsHandlers } from './settings.ts'
import type { Services } from './services.ts'
import { createShrinkHandlers } from './shrink.ts'
import { createTunnelHandlers } from './tunnels.ts'
import { createViewHandlers } from './views.ts'

export function createHandlers(services: Services): Handlers {
  return {
    ...createAppHandlers(services),
    ...createDeliveryHandlers(services),
    ...createBodyHandlers(services),
    ...createLifecycleHandlers(services),
    ...createCompareHandlers(services),
    ...createSearchingHandlers(services),
    ...createViewHandlers(services),
    ...createHookHandlers(services),
    ...createEnvironmentHandlers(services),
    ...createReceiverHandlers(services),
    ...createTunnelHandlers(services),
    ...createSandboxHandlers(services),
    ...createReplayHandlers(services),
    ...createShrinkHandlers(services),
    ...createFlowHandlers(services),
    ...createCheckHandlers(services),
    ...createForwardHandlers(services),
    ...createSettingsHandlers(services),
    ...createKeepingHandlers(services),
    ...createRepairHandlers(services),
    ...createExchangeHandlers(services),
  }
}
