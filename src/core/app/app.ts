/** Composes the core from its parts, in the order of a delivery's way; closes them in reverse. */
import { RpcRouter } from '../../shared/rpc/router.ts'
import type { Deps } from '../base/deps.ts'
import { watchSleep } from '../base/system-clock.ts'
import { createHandlers } from '../commands/handlers.ts'
import type { Services } from '../commands/services.ts'
import { startControlServer } from '../control/control-server.ts'
import { CoreReports } from './core-reports.ts'
import { createServices, openCauses, type CoreParts } from './core-services.ts'
import type { Core, CoreOptions } from './core.ts'
import { openHookParts } from './open-hook-parts.ts'
import { openReception } from './open-reception.ts'
import { openSending, type Sending } from './open-sending.ts'
import { Closers, openStorage } from './open-storage.ts'
import { startServing } from './start-serving.ts'

/** Creates the core of one data folder. Rejects with an `AppError`, leaving nothing open. */
export async function createCore(deps: Deps, options: CoreOptions): Promise<Core> {
  const closers = new Closers()
  try {
    const storage = await openStorage(deps, options, closers)
    const hookParts = await openHookParts(storage, deps, options, closers)
    const reception = await openReception(storage, deps, options, closers)
    const sending = await openSending({ ...storage, ...hookParts, ...reception }, deps, closers)
    const opened = { ...storage, ...hookParts, ...reception, ...sending }
    const started = await startServing(opened, reception.serving, deps, closers)
    const parts = { ...opened, ...started }
    // Added last, so closed first: the receiver must still respond to what they send.
    closers.add(...sendersOf(sending))
    const reports = new CoreReports(parts, deps)
    const causes = openCauses(parts, reports, closers)
    if (reception.serving !== null) {
      // Continues what an earlier process left unfinished.
      await sending.forwards.start()
      causes.wake()
    }
    const services = createServices(parts, reports, causes, options, deps.dataFolder)
    return await openToClients(parts, services, options, closers)
  } catch (error) {
    await closers.close().catch((failure: unknown) => deps.log.bug(failure, 'closing opened parts'))
    throw error
  }
}

function sendersOf({ replays, forwards, checks, shrinks, flows }: Sending) {
  return [
    () => replays.runs.close(),
    () => forwards.close(),
    () => checks.close(),
    () => shrinks.close(),
    () => flows.close(),
  ]
}

/** Serves the contract on transports, and in a serving core to this user's other processes. */
async function openToClients(
  parts: CoreParts,
  services: Services,
  { native }: CoreOptions,
  closers: Closers,
): Promise<Core> {
  const { clock, consents, hub, log, ownPorts, ports, randomBytes } = parts
  const router = new RpcRouter({
    handlers: createHandlers(services),
    ...(native === undefined ? {} : { native }),
    windowConsent: () => consents.current(),
    reportBug: (error, command) => log.bug(error, command),
  })
  const connect: Core['connect'] = (transport) => {
    const connection = router.connect(transport)
    const stop = hub.onAny(connection.emit)
    return () => {
      stop()
      connection.close()
    }
  }
  const isServing = parts.serving !== null
  const control = isServing ? await startControlServer(randomBytes, connect) : null
  if (control !== null) {
    closers.add(control.close)
    ownPorts.add(Number(new URL(control.url).port))
    await parts.folder?.publish({
      control: { url: control.url, token: control.token },
      receiver: parts.receiver().url,
      sandbox: parts.sandbox?.url ?? null,
    })
  }
  const sleep = isServing ? watchSleep({ clock, log, onWoke: () => clock.woke?.() }) : null
  if (sleep !== null) closers.add(sleep.close)
  return {
    connect,
    on: hub.on,
    status: services.status,
    control,
    ports,
    blockPort: (port) => ownPorts.add(port),
    resumed: () => sleep?.resumed(),
    close: () => closers.close(),
  }
}
