/** Handlers of `forward.*`. */
import type { forwardCommands } from '../../shared/contract/nouns/forward.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve()
        },
        { once: true },
      )
  })
}

export function createForwardHandlers({ forwards }: Services): Pick<Handlers, keyof typeof forwardCommands> {
  return {
    'forward.list': () => forwards.list(),
    'forward.check': async ({ id, allowHosts, ...settings }) => {
      const { findings, host, liveEnvironments } = await forwards.check(settings, { id, allowHosts })
      return { findings: [...findings], host, liveEnvironments: [...liveEnvironments] }
    },
    'forward.add': async ({ allowHosts, live, temporary, ...settings }) => ({
      target: await forwards.add(settings, { allowHosts, live, temporary }),
    }),
    'forward.update': async ({ id, allowHosts, live, ...change }) => ({
      target: await forwards.update(id, change, { allowHosts, live }),
    }),
    'forward.remove': async ({ id }) => ({ dropped: await forwards.remove(id) }),
    'forward.pause': async ({ id }) => ({ target: await forwards.setPaused(id, true) }),
    'forward.resume': async ({ id }) => ({ target: await forwards.setPaused(id, false) }),
    'forward.deliver': async ({ id }) => ({ target: await forwards.deliver(id) }),
    'forward.drop': async ({ id }) => ({ dropped: await forwards.drop(id) }),
    'forward.keep': async ({ id }, { signal }) => {
      await untilAborted(signal)
      await forwards.leave(id)
      return {}
    },
    'forward.sends': async (input) => ({ sends: await forwards.sends(input) }),
    'forward.answer': async ({ deliveryId, ...answer }) => {
      forwards.answer(deliveryId, answer)
      return {}
    },
    'forward.release': async ({ deliveryId }) => {
      forwards.release(deliveryId)
      return {}
    },
  }
}
