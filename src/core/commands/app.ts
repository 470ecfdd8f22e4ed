/** The handlers of the app commands. */
import type { appCommands } from '../../shared/contract/nouns/app.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createAppHandlers(services: Services): Pick<Handlers, keyof typeof appCommands> {
  return {
    'app.status': () => services.status(),
    'app.open': async () => ({ url: await services.openUrl() }),
    'doctor.run': async () => ({ checks: await services.doctor() }),
  }
}
