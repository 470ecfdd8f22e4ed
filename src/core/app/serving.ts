/**
 * What every core that serves a data folder does, including the repairing one: it holds the folder, serves the contract to each
 * connection, and records how other processes reach it.
 */
import type { AppStatus } from '../../shared/model/status.ts'
import type { Router } from '../../shared/rpc/router.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { Closer } from '../base/close-all.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { isResponding } from '../control/connect.ts'
import { startControlServer, type ControlServer } from '../control/control-server.ts'
import { holdInstance, type Instance } from '../control/instance-file.ts'

export type Connect = (transport: Transport) => () => void

/** Rejects if another process serves the folder. Everything to close again is added to `closers`. */
export async function holdFolder(deps: Deps, closers: Closer[]) {
  const { clock, dataFolder, host, version } = deps
  const instance: Instance = {
    pid: process.pid,
    version,
    host,
    startedAt: new Date(clock.now()).toISOString(),
    control: null,
    receiver: null,
    sandbox: null,
    ca: caFileOf(dataFolder),
    data: dataFolder,
  }
  const held = await holdInstance(dataFolder, instance, isResponding)
  closers.push(held.release)
  return {
    async startControl(connect: Connect) {
      const control = await startControlServer((count) => deps.randomBytes(count), connect)
      closers.push(control.close)
      return control
    },
    /** Returns where everything listens. */
    publish: ({
      control: { url, token },
      ...addresses
    }: Pick<Instance, 'receiver' | 'sandbox'> & { readonly control: ControlServer }) =>
      held.publish({ ...instance, ...addresses, control: { url, token } }),
  }
}

/** Serves commands and events on a transport; returns the function that ends it. */
export function createConnect(router: Router, hub: EventHub): Connect {
  return (transport) => {
    const connection = router.connect(transport)
    const stop = hub.onAny(connection.emit)
    return () => {
      stop()
      connection.close()
    }
  }
}

/** The part of the status that stays the same while the process runs. */
export function processStatus({ version, host, dataFolder }: Deps) {
  return {
    version,
    host,
    pid: process.pid,
    dataFolder,
    caFile: caFileOf(dataFolder),
  } satisfies Partial<AppStatus>
}
