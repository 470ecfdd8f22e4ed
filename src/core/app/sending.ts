/** Composes everything that sends to the user's own endpoint: each part uses the one guard for targets. Closed in reverse order. */
import { closeAll } from '../base/async.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createChecks } from '../check/checks.ts'
import { createForwards } from '../sending/forward.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { SavedHandlers } from '../sending/handlers.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { createReplayParts } from '../sending/replay-requests.ts'
import { createReplays } from '../sending/replay.ts'
import { createShrinks } from '../sending/shrink.ts'
import type { Store } from '../store/store.ts'

export interface SendingDeps extends Pick<
  Deps,
  'clock' | 'ids' | 'log' | 'version' | 'randomBytes' | 'workers'
> {
  readonly store: Store
  readonly hooks: Hooks
  readonly environments: Environments
  readonly savedHandlers: SavedHandlers
  readonly ownSends: OwnSends
  readonly hub: EventHub
  readonly admission: Admission
  /** The body limit of the settings, in bytes. */
  bodyLimit(): number
}

export type Sending = ReturnType<typeof createSending>

export function createSending({ hub, savedHandlers, ...given }: SendingDeps) {
  const deps = {
    ...given,
    admit: given.admission.admit,
    liveEnvironments: given.admission.liveEnvironments,
    handlerSigner: savedHandlers.signer,
    handlerName: savedHandlers.nameOf,
    signerAt: async (target: string) => {
      const saved = savedHandlers.at(target)
      return saved === null ? null : savedHandlers.signer(saved.id)
    },
  }
  const replays = createReplays({
    ...deps,
    onChanged: (job) => hub.emit('replay.changed', { job }),
    onPreparing: (told) => hub.emit('replay.preparing', told),
  })
  const forwards = createForwards({
    ...deps,
    onChanged: (state) => hub.emit('forward.changed', state),
    onSent: (sends) => hub.emit('forward.sent', { sends: [...sends] }),
  })
  hub.on('hooks.changed', forwards.hooksChanged)
  hub.on('environments.changed', forwards.hooksChanged)
  hub.on('handlers.changed', forwards.hooksChanged)
  const checks = createChecks({
    ...deps,
    onChanged: (run) => hub.emit('check.changed', { run }),
  })
  hub.on(
    'check.changed',
    ({ run: { id: runId, createdAt: at, state, target, passed, failed, skipped, score } }) => {
      if (state !== 'done') return
      savedHandlers
        .checked(target, { runId, at, passed, failed, skipped, score })
        .catch((error: unknown) => deps.log.bug(error, "storing a handler's check"))
    },
  )
  const shrinks = createShrinks({
    ...deps,
    threadEntry: deps.workers.shrink,
    onChanged: (run) => hub.emit('shrink.changed', { run }),
  })
  return {
    services: { shrinks, checks, replays, checkReplayParts: createReplayParts(deps), forwards },
    /** Continues the work of an earlier process. */
    async start() {
      await forwards.start()
      // It may have a million rows, so nothing waits for this.
      replays
        .sweep()
        .catch((error: unknown) => deps.log.bug(error, 'removing an unfinished replay'))
    },
    close: () => closeAll([replays.close, forwards.close, checks.close, shrinks.close]),
  }
}
