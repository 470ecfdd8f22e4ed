/**
 * Keeps the store level with the core: subscribe, load the snapshot, and replay what came meanwhile. A gap in the events, or
 * a new connection, loads again; what was there stays on screen until then.
 */
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Host } from '../host/host.ts'
import { isQuiet, sentenceOf, type Notice } from './slice-context.ts'
import type { AppStore } from './store.ts'

/** Starts to keep `store` level; returns the function that ends it. */
export function startSync({
  host,
  store,
  notify,
}: {
  host: Host
  store: AppStore
  notify: (notice: Notice) => void
}): () => void {
  const { client } = host
  let queue: (() => void)[] | null = null
  let again = false

  /** Runs a change now, or after the snapshot that is being loaded. */
  const apply = (change: () => void) => {
    if (queue === null) change()
    else queue.push(change)
  }

  /** Before the first snapshot the screens say it themselves: they have nothing else to show. */
  const complain = (message: string) => {
    if (store.getState().status === null) store.getState().setSnapshotProblem(message)
    else notify({ tone: 'bad', title: 'The state of Countersign could not be read', message })
  }

  const load = async () => {
    if (queue !== null) {
      again = true
      return
    }
    const waiting: (() => void)[] = []
    queue = waiting
    try {
      const [status, { hooks }, { environments }, settings, { views }] = await Promise.all([
        client.call('app.status', {}),
        client.call('hooks.list', {}),
        client.call('environments.list', {}),
        client.call('settings.get', {}),
        client.call('views.list', {}),
        store.getState().reloadList(),
      ])
      store.getState().setSnapshot({ status, hooks, environments, settings })
      store.getState().setViews(views)
      void store.getState().loadReplayJobs()
      void store.getState().readTunnel()
      void store.getState().readShrink()
      if (store.getState().forward !== null) void store.getState().readForward()
    } catch (error) {
      // A core that only repairs answers no other command; its screen says why.
      const repairs = error instanceof AppError && error.code === 'DATABASE_DAMAGED'
      if (repairs)
        await store
          .getState()
          .readRepair()
          .catch(() => undefined)
      if (!isQuiet(error) && !(repairs && store.getState().repair.phase !== 'idle')) complain(sentenceOf(error))
    }
    queue = null
    for (const change of waiting) change()
    if (again) {
      again = false
      await load()
    }
  }

  const deliveriesChanged = (change: PayloadOf<'deliveries.changed'>) => {
    const state = store.getState()
    state.deliveriesChanged(change)
    state.forgetMarks(change.updated)
    state.refreshPicked(change.updated)
    state.setDeliveryCount(change.total)
    state.refreshDelivery(
      [...change.added, ...change.updated].flatMap((row) => [row.id, ...(row.attemptOf === null ? [] : [row.attemptOf])]),
    )
  }

  store.setState({ readAgain: () => void load() })
  const stops = [
    client.on('deliveries.changed', (change) => {
      apply(() => {
        deliveriesChanged(change)
      })
    }),
    client.on('deliveries.deleted', (change) => {
      apply(() => {
        store.getState().deliveriesDeleted(change)
        store.getState().setDeliveryCount(change.total)
      })
    }),
    client.on('deliveries.restored', ({ total }) => {
      apply(() => {
        store.getState().setDeliveryCount(total)
        void store.getState().reloadList()
      })
    }),
    client.on('storage.compacted', (compaction) => {
      apply(() => {
        store.getState().setCompaction(compaction)
      })
    }),
    client.on('hooks.changed', ({ hook }) => {
      apply(() => {
        store.getState().putHook(hook)
      })
    }),
    client.on('environments.changed', ({ environments }) => {
      apply(() => {
        store.getState().environmentsChanged(environments)
      })
    }),
    client.on('views.changed', ({ views }) => {
      apply(() => {
        store.getState().setViews(views)
      })
    }),
    client.on('receiver.changed', (receiver) => {
      apply(() => {
        store.getState().setReceiver(receiver)
      })
    }),
    client.on('tunnels.changed', (tunnel) => {
      apply(() => {
        store.getState().tunnelChanged(tunnel)
      })
    }),
    client.on('shrink.changed', ({ run }) => {
      apply(() => {
        store.getState().shrinkChanged(run)
      })
    }),
    client.on('forward.changed', (forward) => {
      apply(() => {
        store.getState().forwardChanged(forward)
      })
    }),
    client.on('settings.changed', (settings) => {
      apply(() => {
        store.getState().setSettings(settings)
      })
    }),
    client.on('check.changed', ({ run }) => {
      apply(() => {
        store.getState().checkChanged(run)
      })
    }),
    client.on('flows.changed', ({ run }) => {
      apply(() => {
        store.getState().flowChanged(run)
      })
    }),
    client.on('store.changed', (status) => {
      apply(() => {
        store.getState().setStore(status)
      })
    }),
    client.on('replay.preparing', (told) => {
      store.getState().replayPreparing(told)
    }),
    client.on('replay.changed', ({ job }) => {
      store.getState().replayChanged(job)
    }),
    client.on('repair.changed', (repair) => {
      store.getState().setRepair(repair)
      // Another core has taken over, with everything as it is now.
      if (repair.phase !== 'running') void load()
    }),
    client.onGap(() => void load()),
    host.onConnection((connection) => {
      store.getState().setConnection(connection)
      if (connection.phase === 'open') void load()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
