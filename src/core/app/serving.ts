/** Holds the data folder for a core that serves it, and records how other processes reach it. */
import type { Closer } from '../base/async.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { isResponding } from '../control/connect.ts'
import { startControlServer, type ControlServer } from '../control/control-server.ts'
import { holdInstance, type Instance } from '../control/instance-file.ts'
import type { Core } from './core.ts'

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
    async startControl(connect: Core['connect']) {
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
