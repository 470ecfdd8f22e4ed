/** Composes the core. Read it from top to bottom: each part is made of those above it, and closed in reverse order. */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { AppStatus, ReceiverStatus } from '../../shared/model/status.ts'
import { createRouter } from '../../shared/rpc/router.ts'
import { closeAll, type Closer } from '../base/async.ts'
import { runDoctor } from '../commands/doctor.ts'
import { createCauses } from '../commands/causes.ts'
import { createHandlers } from '../commands/handlers.ts'
import type { ControlServer } from '../control/control-server.ts'
import type { Core, CoreOptions } from './core.ts'
import { caFileOf, makeDataFolder } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { createImportClaims } from '../transfer/claims.ts'
import { createImporter, createLongLines } from '../transfer/importer.ts'
import { createFlows, type Flows } from '../flows/flows.ts'
import { createHandlerOpener } from '../flows/handler.ts'
import { createGuard, resolveWithSystem, hostOf } from '../outgoing/wire/guarded-sender.ts'
import { trustedAuthorities } from '../outgoing/wire/sender.ts'
import { createEventHub } from '../base/event-hub.ts'
import { watchSleep } from '../base/sleep.ts'
import { createServiceClients, tryEnvironment } from '../hooks/environments.ts'
import { createRegistration } from '../hooks/registration.ts'
import { createHookSync } from '../hooks/sync-hooks.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import type { Receiving } from './receiving.ts'
import { holdFolder } from './serving.ts'
import { openRecords } from './records.ts'
import { createAdmission } from '../outgoing/admit.ts'
import { createOwnSends } from '../outgoing/own-sends.ts'
import { createSampler } from './sample.ts'
import { findCertificateProblem } from '../outgoing/wire/send-failure.ts'
import { createSending, type Sending } from './sending.ts'
import { createDiagnosisService } from '../signature/diagnosis-service.ts'
import { testAddress } from '../tunnels/test-address.ts'
import { openTunnels, type Tunnels } from '../tunnels/tunnels.ts'
import { openSavedHandlers } from '../sending/handlers.ts'
import { createVault } from '../hooks/vault.ts'

const OFF: ReceiverStatus = {
  state: 'off',
  url: null,
  publicUrl: null,
  httpUrl: null,
  problem: null,
}

function notRunning(what: string): AppError {
  return new AppError(
    'NOT_RUNNING',
    `${what} needs Countersign running. Start it with "countersign serve" (or open the app), then try again.`,
  )
}

/** Creates the core of one data folder. Rejects with an `AppError` that says what to do, leaving nothing open. */
export async function createCore(deps: Deps, options: CoreOptions): Promise<Core> {
  const { clock, dataFolder, host, ids, log, version } = deps
  const randomBytes = (count: number) => deps.randomBytes(count)
  const { serve } = options
  const closers: Closer[] = []
  const close = () => closeAll(closers)

  try {
    makeDataFolder(dataFolder)

    const folder = serve === null ? null : await holdFolder(deps, closers)
    const hub = createEventHub()
    const vault = createVault(await deps.secretBackends(dataFolder))

    // The store reports deliveries and the receiver asks for responses before forwarding exists.
    let sending: Sending | null = null
    /** Receives each delivery; set once there is a receiver for flow runs. */
    let flows: Flows | null = null
    let receiving: Receiving | null = null
    const records = await openRecords(
      {
        clock,
        dataFolder,
        ids,
        log,
        workers: deps.workers,
        hub,
        vault,
        maxDatabaseBytes: options.maxDatabaseBytes,
        withoutThreads: options.withoutThreads === true,
        isServing: serve !== null,
        randomBytes,
        isOwnPort: (port) => {
          const { url = null, httpUrl = null } = receiving?.capture.status() ?? {}
          return [url, httpUrl, receiving?.sandbox?.url ?? null].some(
            (one) => one !== null && new URL(one).port === String(port),
          )
        },
        onDescribed: (seq) => sending?.services.forwards.described(seq),
        sandboxUrl: () => receiving?.sandbox?.url ?? null,
        tellSandbox: async (hook) => {
          const sandbox = receiving?.sandbox ?? null
          await sandbox?.registerHook(hook)
          return sandbox !== null
        },
      },
      closers,
    )
    const { store, environments, hooks } = records
    const claims = createImportClaims({
      store,
      hooks,
      environments,
      registry: records.registry,
      clock,
      log,
      onProved: records.feed.updated,
    })
    const matchImports = () => void claims.catchUp()
    closers.push(
      claims.close,
      hub.on('hooks.changed', matchImports),
      hub.on('environments.changed', matchImports),
    )
    const diagnosis = createDiagnosisService(deps.workers.diagnosis)
    closers.push(diagnosis.close)

    const causes = createCauses({
      services: { ...records, diagnosis, status: () => status() },
      log,
      onFound: records.feed.updated,
    })
    const wakeCauses = () => {
      if (serve !== null) causes.wake()
    }
    closers.push(
      causes.close,
      hub.on('delivery.stored', ({ verdict }) => {
        if (verdict === 'invalid') causes.wake()
      }),
      hub.on('hooks.changed', wakeCauses),
      hub.on('environments.changed', wakeCauses),
    )

    const ownSends = createOwnSends(clock)
    /** The control channel, and ports reported by the host. */
    const ownPorts = new Set<number>()
    if (serve !== null) {
      const { startReceiving } = await import('./receiving.ts')
      receiving = await startReceiving(
        {
          clock,
          dataFolder,
          ids,
          log,
          serve,
          hub,
          vault,
          records,
          ownSends,
          randomBytes,
          answerer: () => sending?.services.forwards.answerer() ?? null,
          flowRunOf: (hookId) => flows?.flowRunOf(hookId) ?? null,
        },
        closers,
      )
    }
    const {
      capture = null,
      sandbox = null,
      caPem = null,
      startFlowService = null,
    } = receiving ?? {}
    const receiver = () => capture?.status() ?? OFF

    const status = async (): Promise<AppStatus> => ({
      version,
      host,
      pid: process.pid,
      dataFolder,
      caFile: caFileOf(dataFolder),
      receiver: receiver(),
      sandbox: sandbox?.url ?? null,
      store: await store.status(),
      vault: vault.status(),
    })
    const running = <T>(part: T | null, what: string): T => {
      if (part === null) throw notRunning(what)
      return part
    }
    const sample = createSampler({ hooks, randomBytes, receiverUrl: () => receiver().url })

    const clients = createServiceClients({ environments, clock, caPem })
    closers.push(clients.close)
    const registration = createRegistration({
      hooks,
      environments,
      clients,
      reachability: {
        findCertificateProblem: (url) => findCertificateProblem(url, trustedAuthorities([])),
      },
      address: () => {
        const { publicUrl, url } = receiver()
        return publicUrl ?? url
      },
      randomBytes,
    })

    const guard = createGuard({
      clock,
      resolve: resolveWithSystem,
      caPem,
      ownPorts: () => ownPorts,
    })
    const admission = createAdmission({ guard, known: { hooks, environments } })
    const savedHandlers = await openSavedHandlers({
      store,
      vault,
      hooks,
      clock,
      ids,
      admit: admission.admit,
      onChanged: (all) => hub.emit('handlers.changed', { handlers: all }),
    })
    closers.push(hub.on('hooks.changed', savedHandlers.hooksChanged))
    let tunnels: Tunnels | null = null
    if (receiving !== null) {
      const { probes } = receiving
      tunnels = await openTunnels({
        store,
        capture: receiving.capture,
        dataFolder,
        caFile: caFileOf(dataFolder),
        env: process.env,
        async test(url) {
          // By setting the URL, the user allowed its host, because the service should send there.
          const policy = guard.policyFor([hostOf(new URL(url))])
          const sender = guard.createSender({ policy, keepAlive: false })
          try {
            return await testAddress(url, { clock, probes, sender })
          } finally {
            await sender.close()
          }
        },
        onChanged: (changed) => hub.emit('tunnels.changed', changed),
      })
      closers.push(tunnels.close, hub.on('receiver.changed', tunnels.addressChanged))
    }

    sending = createSending({
      version: deps.version,
      workers: deps.workers,
      randomBytes,
      store,
      hooks,
      environments,
      savedHandlers,
      ownSends,
      clock,
      ids,
      log,
      hub,
      admission,
      bodyLimit: () => records.settings.current().bodyLimit,
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
      receiverUrl: () => receiver().url,
      capturePaused: () => receiver().state === 'paused',
      onClaimed({ flow, run, step, deliverySeq }) {
        store
          .write('flowDeliveries', { flow, run, rows: [{ seq: deliverySeq, step }] })
          .catch((error: unknown) => log.bug(error, "storing a run's delivery"))
      },
      admit: admission.admit,
      openHandler: createHandlerOpener({
        store,
        log,
        ownSends,
        clock,
        prefixes: () => knownPrefixes(environments),
      }),
      startService: startFlowService,
      onChanged: (run) => hub.emit('flows.changed', { run }),
    })
    closers.push(
      flows.close,
      hub.on('delivery.stored', flows.stored),
      hub.on('delivery.answered', flows.answered),
    )
    if (serve !== null) {
      await sending.start()
      // Continues matching that an earlier process left unfinished.
      matchImports()
      wakeCauses()
    }

    const doctor = async () => {
      const { storedRenewalTime } = await import('../receiver/identity.ts')
      const [damage] = await Promise.all([store.findDamage(), store.search.open()])
      return runDoctor({
        status: await status(),
        hooks: hooks.list(),
        isDeaf: async (url) =>
          (await guard.probe(url, { policy: guard.policyFor([]) })).failure?.kind === 'refused',
        durability: await store.write('durability', null),
        damage,
        renewalAt: receiving?.renewalAt() ?? (await storedRenewalTime(dataFolder)),
        addressTest:
          receiver().publicUrl === null || tunnels === null ? null : await tunnels.test(),
        now: clock.now(),
      })
    }
    /** Counts hooks, environments and targets: their names and URLs are private. */
    const diagnostics = async () => {
      // Loaded only here: a command starts faster without them.
      const [{ writeDiagnostics }, { maskingOf }] = await Promise.all([
        import('./diagnostics.ts'),
        import('../transfer/masking.ts'),
      ])
      const { forwards } = running(sending, 'Diagnostics').services
      const [masking, checks, now, forward] = await Promise.all([
        maskingOf({ ...records, savedHandlers }, 'strict'),
        doctor(),
        status(),
        forwards.list(),
      ])
      const lights = Object.groupBy(forward.targets, ({ light }) => light)
      return writeDiagnostics({
        status: now,
        checks,
        stored: {
          settings: records.settings.current(),
          hooks: hooks.list().length,
          environments: environments.all().length,
          targets: Object.fromEntries(
            Object.entries(lights).map(([light, targets]) => [light, targets.length]),
          ),
          tunnel: tunnels?.status().state ?? 'off',
        },
        now: clock.now(),
        mask: (text) => masking.text(text),
      })
    }

    const router = createRouter({
      handlers: createHandlers({
        ...records,
        savedHandlers,
        diagnosis,
        flows,
        ids,
        announce: records.feed.added,
        importer: createImporter({ store, hooks, claims, onImported: records.feed.added }),
        claims,
        longLines: createLongLines({
          clock,
          ids,
          bodyLimit: () => records.settings.current().bodyLimit,
        }),
        ...sending.services,
        registration,
        syncHooks: createHookSync({ hooks, environments, clients }),
        now: () => clock.now(),
        businessNow: (environment) =>
          sandbox !== null && environment !== null && isSandboxEnvironment(environment)
            ? Date.parse(sandbox.clock().now)
            : clock.now(),
        status,
        curlTrust: () => ({ receiver: receiver().url, caFile: caFileOf(dataFolder) }),
        doctor,
        diagnostics,
        openUrl: async () => {
          if (options.openUrl === undefined)
            throw new AppError(
              'UNSUPPORTED',
              'This is the desktop app, so it has no URL to open in a browser.',
            )
          return options.openUrl()
        },
        checkEnvironment: (name) => tryEnvironment(environments.get(name), clients, ids),
        setPublicUrl: async (url) => running(capture, 'Setting the public URL').setPublicUrl(url),
        pauseReceiver: () => Promise.resolve(running(capture, 'Pausing capture').setPaused(true)),
        resumeReceiver: () =>
          Promise.resolve(running(capture, 'Resuming capture').setPaused(false)),
        sandbox: (what) => running(sandbox, what),
        tunnels: (what) => running(tunnels, what),
        sample: async (signal) => sample(running(sandbox, 'Sending a sample'), signal),
      }),
      ...(options.native === undefined ? {} : { native: options.native }),
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
    let control: ControlServer | null = null
    if (folder !== null) {
      control = await folder.startControl(connect)
      ownPorts.add(Number(new URL(control.url).port))
      await folder.publish({ control, receiver: receiver().url, sandbox: sandbox?.url ?? null })
    }

    const keepFromSends = (port: number) => ownPorts.add(port)
    const woke = () => {
      clock.woke?.()
    }
    const sleep = serve === null ? null : watchSleep({ clock, log, onWoke: woke })
    if (sleep !== null) closers.push(sleep.close)
    return {
      connect,
      on: hub.on,
      status,
      control,
      ports: records.ports,
      keepFromSends,
      resumed: () => sleep?.resumed(),
      close,
    }
  } catch (error) {
    // The original error is reported.
    await close().catch((failure: unknown) => log.bug(failure, 'closing opened parts'))
    throw error
  }
}
