/**
 * Composes the core. Read it from top to bottom: each part is made of those above it, and closed in the reverse order.
 */
import { mkdir } from 'node:fs/promises'
import { AppError } from '../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../shared/model/environment.ts'
import type { AppStatus, ReceiverStatus } from '../shared/model/status.ts'
import { DEFAULT_PREFIX } from '../shared/service/header-names.ts'
import { createRouter } from '../shared/rpc/router.ts'
import type { Transport } from '../shared/rpc/transport.ts'
import { createCapture, type Capture } from './capture.ts'
import { createChangeFeed } from './change-feed.ts'
import { runDoctor } from './commands/doctor.ts'
import { createHandlers } from './commands/handlers.ts'
import { answers } from './control/connect.ts'
import { startControlServer, type ControlServer } from './control/control-server.ts'
import { holdInstance, type HeldInstance, type Instance } from './control/instance-file.ts'
import type { Core, CoreOptions } from './core.ts'
import type { Deps } from './deps.ts'
import { createArrivals } from './dispatch/arrivals.ts'
import { createFlows, type Flows } from './flows/flows.ts'
import { createHandlerOpener } from './flows/handler.ts'
import { createFlowServices } from './flows/run-service.ts'
import { createGuard } from './dispatch/guarded-sender.ts'
import { resolveWithSystem } from './dispatch/target-policy.ts'
import { trustedAuthorities } from './dispatch/trusted-authorities.ts'
import { createEventHub } from './event-hub.ts'
import { tryEnvironment } from './hooks/check-environment.ts'
import { openEnvironments, type Environments } from './hooks/environments.ts'
import { openHooks } from './hooks/hooks.ts'
import { createRegistration } from './hooks/registration.ts'
import { createRegistry } from './hooks/registry.ts'
import { createServiceClients } from './hooks/service-clients.ts'
import { createKeeping, type Keeping } from './keeping/keeping.ts'
import { createPorts } from './ports.ts'
import { renewalTime } from './receiver/certificates.ts'
import { caFileOf, openIdentity, type TlsIdentity } from './receiver/identity.ts'
import { createIntake } from './receiver/intake.ts'
import { createOwnSends } from './replay/own-sends.ts'
import { createSampler, startSandbox, type RunningSandbox } from './run-sandbox.ts'
import { findCertificateProblem } from './service-api/certificate-check.ts'
import { createSending, type Sending } from './sending.ts'
import { openSettings } from './settings.ts'
import { createDiagnosisService } from './signature/diagnosis-service.ts'
import { openStore } from './store/store.ts'
import { openTunnels } from './tunnels/open-tunnels.ts'
import { createProbes, withoutProbes } from './tunnels/probes.ts'
import type { Tunnels } from './tunnels/tunnels.ts'
import { createVault } from './vault/vault.ts'
import { openViews } from './views.ts'

const PUBLIC_URL = 'receiver.public-url'

const OFF: ReceiverStatus = { state: 'off', url: null, publicUrl: null, httpUrl: null, problem: null }

function notRunning(what: string): AppError {
  return new AppError(
    'NOT_RUNNING',
    `${what} needs the running service. Start it with "countersign serve" (or open the app) and try again.`,
  )
}

/** Makes the core of one data folder. Rejects with an `AppError` that says what to do; nothing is left open then. */
export async function createCore(deps: Deps, options: CoreOptions): Promise<Core> {
  const { clock, dataFolder, ids, log } = deps
  const randomBytes = (count: number) => deps.randomBytes(count)
  const { serve } = options
  const closers: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }

  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 })

    const starting: Instance = {
      pid: process.pid,
      version: deps.version,
      host: deps.host,
      startedAt: new Date(clock.now()).toISOString(),
      control: null,
      receiver: null,
      sandbox: null,
      ca: caFileOf(dataFolder),
      data: dataFolder,
    }
    let held: HeldInstance | null = null
    if (serve !== null) {
      held = await holdInstance(dataFolder, starting, answers)
      closers.push(held.release)
    }

    const hub = createEventHub()
    const vault = createVault(await deps.secretBackends(dataFolder))

    // The store tells of what is described, and the receiver asks for answers, before there is what passes deliveries on.
    let sending: Sending | null = null
    // The store asks for environments that are opened after it; until then there are none.
    let environments: Environments | null = null
    const feed = createChangeFeed(
      clock,
      () => store.total(),
      (change) => {
        hub.emit('deliveries.changed', change)
      },
    )
    const store = await openStore({
      dataFolder,
      workers: deps.workers,
      log,
      ...(options.maxDatabaseBytes === undefined ? {} : { options: { maxBytes: options.maxDatabaseBytes } }),
      lenientEnvironments: () => (environments?.all() ?? []).filter(({ ack }) => ack === '2xx').map(({ name }) => name),
      onDescribed: (rows) => {
        feed.updated(rows)
        sending?.services.forwards.described(Math.max(...rows.map(({ seq }) => seq)))
      },
      onStatus: (status) => {
        hub.emit('store.changed', status)
      },
    })
    closers.push(store.close, feed.close)
    const ports = createPorts(store)
    const settings = await openSettings({
      store,
      log,
      onChanged: (changed) => {
        hub.emit('settings.changed', changed)
        keeping?.limitsChanged()
      },
    })
    let keeping: Keeping | null = null
    keeping = createKeeping({
      store,
      clock,
      log,
      limits: () => settings.current().retention,
      isServing: serve !== null,
      onMarked: feed.updated,
      onDeleted: (change) => {
        hub.emit('deliveries.deleted', change)
      },
      onRestored: (change) => {
        hub.emit('deliveries.restored', change)
      },
      onCompacted: (compaction) => {
        hub.emit('storage.compacted', compaction)
      },
    })
    closers.push(keeping.close)

    let sandbox: RunningSandbox | null = null
    environments = await openEnvironments({
      store,
      vault,
      clock,
      log,
      randomBytes,
      sandboxUrl: () => sandbox?.url ?? null,
      onChanged: (all) => {
        hub.emit('environments.changed', { environments: all })
      },
    })
    const registry = createRegistry()
    const hooks = await openHooks({
      store,
      vault,
      environments,
      registry,
      clock,
      ids,
      log,
      onChanged: (hook) => {
        hub.emit('hooks.changed', { hook })
      },
      tellSandbox: async (hook) => {
        await sandbox?.registerHook(hook)
        return sandbox !== null
      },
    })
    const views = await openViews({
      store,
      ids,
      log,
      onChanged: (changed) => {
        hub.emit('views.changed', { views: [...changed] })
      },
    })
    const diagnosis = createDiagnosisService(deps.workers.diagnosis)
    closers.push(diagnosis.close)

    const ownSends = createOwnSends()
    const arrivals = createArrivals()
    /** The control channel, and what the host has named. */
    const ownPorts = new Set<number>()
    /** Hears of each delivery; made once there is a receiver for its runs. */
    let flows: Flows | null = null
    let identity: TlsIdentity | null = null
    let capture: Capture | null = null
    let control: ControlServer | null = null
    let tunnels: Tunnels | null = null
    const probes = createProbes(randomBytes)
    if (serve !== null) {
      identity = await openIdentity({ dataFolder, clock, log, randomBytes })
      closers.push(identity.close)
      const receiving = createCapture({
        identity,
        clock,
        log,
        ports,
        host: serve.host,
        port: serve.receiverPort,
        httpPort: serve.receiverHttpPort,
        whenPortBusy: serve.whenPortBusy ?? 'fail',
        bodyLimit: () => settings.current().bodyLimit,
        publicUrl: (await store.read('setting', PUBLIC_URL)) || null,
        rememberPublicUrl: (url) => store.write('writeSetting', { name: PUBLIC_URL, value: url ?? '' }),
        onChanged: (status) => {
          hub.emit('receiver.changed', status)
          tunnels?.addressChanged()
        },
      })
      capture = receiving
      const intake = createIntake({
        registry,
        store,
        ids,
        ownSends,
        arrivals,
        answerer: () => sending?.services.forwards.answerer() ?? null,
        isPaused: receiving.isPaused,
        onStored: (row) => {
          feed.added(row)
          flows?.stored(row)
        },
        onUnstored: (error) => {
          log.warn('A delivery could not be stored and was answered 503.', { reason: error.message })
        },
      })
      closers.push(receiving.close)
      await receiving.start(withoutProbes(intake, probes))
      const start = serve.withoutSandbox === true ? () => Promise.resolve(null) : startSandbox
      sandbox = await start({
        clock,
        ids,
        log,
        randomBytes,
        identity,
        ports,
        environments,
        hooks,
        store,
        vault,
        arrivals,
        host: serve.host,
        port: serve.sandboxPort,
        anyPortWillDo: serve.whenPortBusy === 'show',
        onChanged: (parts) => {
          hub.emit('sandbox.changed', { parts })
        },
      })
      if (sandbox !== null) closers.push(sandbox.close)
    }

    const status = async (): Promise<AppStatus> => ({
      version: deps.version,
      host: deps.host,
      pid: process.pid,
      dataFolder,
      caFile: caFileOf(dataFolder),
      receiver: capture?.status() ?? OFF,
      sandbox: sandbox?.url ?? null,
      store: await store.status(),
      vault: vault.status(),
    })
    const running = <T>(part: T | null, what: string): T => {
      if (part === null) throw notRunning(what)
      return part
    }
    const sample = createSampler({ hooks, randomBytes, receiverUrl: () => capture?.status().url ?? null })

    const clients = createServiceClients({ environments, clock, caPem: identity?.caPem ?? null })
    closers.push(clients.close)
    const registration = createRegistration({
      hooks,
      environments,
      clients,
      reachability: { findCertificateProblem: (url) => findCertificateProblem(url, trustedAuthorities([])) },
      address: () => {
        const { publicUrl, url } = capture?.status() ?? OFF
        return publicUrl ?? url
      },
      randomBytes,
    })

    const guard = createGuard({ clock, resolve: resolveWithSystem, caPem: identity?.caPem ?? null, ownPorts: () => ownPorts })
    if (capture !== null) {
      tunnels = await openTunnels({
        store,
        vault,
        clock,
        log,
        guard,
        probes,
        capture,
        dataFolder,
        caFile: caFileOf(dataFolder),
        env: process.env,
        onChanged: (changed) => {
          hub.emit('tunnels.changed', changed)
        },
      })
      closers.push(tunnels.close)
    }

    sending = createSending({
      version: deps.version,
      randomBytes,
      store,
      hooks,
      environments,
      ownSends,
      clock,
      ids,
      log,
      hub,
      guard,
    })
    closers.push(sending.close)

    flows = createFlows({
      store,
      hooks,
      environments,
      clock,
      ids,
      log,
      randomBytes,
      receiverUrl: () => capture?.status().url ?? null,
      openHandler: createHandlerOpener({
        guard,
        ownSends,
        clock,
        prefixes: () => [...new Set([DEFAULT_PREFIX, ...environments.all().map(({ prefix }) => prefix)])],
      }),
      startService: identity === null ? null : createFlowServices({ clock, ids, log, randomBytes, identity }),
      onChanged: (run) => {
        hub.emit('flows.changed', { run })
      },
    })
    closers.push(flows.close)
    if (serve !== null) await sending.services.forwards.start()

    const router = createRouter({
      handlers: createHandlers({
        store,
        hooks,
        environments,
        registry,
        diagnosis,
        views,
        settings,
        keeping,
        flows,
        ...sending.services,
        registration,
        now: () => clock.now(),
        businessNow: (environment) =>
          sandbox !== null && environment !== null && isSandboxEnvironment(environment)
            ? Date.parse(sandbox.clock().now)
            : clock.now(),
        status,
        doctor: async () =>
          runDoctor({
            status: await status(),
            hooks: hooks.list(),
            durability: await store.write('durability', null),
            renewalAt: identity === null ? null : renewalTime(identity.certificate().cert),
            addressTest: capture?.status().publicUrl == null || tunnels === null ? null : await tunnels.test(),
            now: clock.now(),
          }),
        openUrl: async () => {
          if (options.openUrl === undefined)
            throw new AppError('UNSUPPORTED', 'This instance is the desktop app: it has no address to open in a browser.')
          return options.openUrl()
        },
        checkEnvironment: (name) => tryEnvironment(environments.get(name), clients, ids),
        setPublicUrl: async (url) => running(capture, 'Setting the public address').setPublicUrl(url),
        pauseReceiver: () => Promise.resolve(running(capture, 'Pausing capture').setPaused(true)),
        resumeReceiver: () => Promise.resolve(running(capture, 'Resuming capture').setPaused(false)),
        sandbox: (what) => running(sandbox, what),
        tunnels: (what) => running(tunnels, what),
        sample: async (signal) => sample(running(sandbox, 'Sending a sample'), signal),
      }),
      ...(options.native === undefined ? {} : { native: options.native }),
      reportBug: (error, command) => log.bug(error, command),
    })

    const connect = (transport: Transport): (() => void) => {
      const connection = router.connect(transport)
      const stop = hub.onAny(connection.emit)
      return () => {
        stop()
        connection.close()
      }
    }

    if (held !== null) {
      control = await startControlServer(randomBytes, connect)
      closers.push(control.close)
      ownPorts.add(Number(new URL(control.url).port))
      await held.publish({
        ...starting,
        control: { url: control.url, token: control.token },
        receiver: capture?.status().url ?? null,
        sandbox: sandbox?.url ?? null,
      })
    }

    const keepFromSends = (port: number) => {
      ownPorts.add(port)
    }
    return { connect, on: hub.on, status, control, ports, keepFromSends, close }
  } catch (error) {
    await close()
    throw error
  }
}
