/** The handlers of the saved views. */
import type { viewCommands } from '../../shared/contract/nouns/views.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createViewHandlers({ views }: Services): Pick<Handlers, keyof typeof viewCommands> {
  return {
    'views.list': async () => ({ views: [...views.list()] }),
    'views.save': (view) => views.save(view),
    'views.remove': async ({ id }) => {
      await views.remove(id)
      return {}
    },
  }
}
