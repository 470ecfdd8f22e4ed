/** Composes the core. Read it from top to bottom: each part is made of those above it, and closed in reverse order. */
import { dirname } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { AppStatus, ReceiverStatus } from '../../shared/model/status.ts'
import { createRouter } from '../../shared/rpc/router.ts'
import { closeAll, type Closer } from '../base/async.ts'
import { caFileOf, makeDataFolder } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { reportDeliveries, reportStorage } from '../base/client-reports.ts'
import { createEventHub } from '../base/event-hub.ts'
import { removeLeftovers } from '../base/leftovers.ts'
import { watchSleep } from '../base/system-clock.ts'
import { createChecks } from '../check/checks.ts'
import { createCauses } from '../commands/causes.ts'
import { runDoctor } from '../commands/doctor.ts'
import { createHandlers } from '../commands/handlers.ts'
import { holdFolder, startControlServer } from '../control/control-server.ts'
import { createFlows } from '../flows/flows.ts'
import { createHandlerOpener } from '../flows/arrivals.ts'
import {
  createServiceClients,
  knownPrefixes,
  openEnvironments,
  tryEnvironment,
} from '../hooks/environments.ts'
import { openHooks } from '../hooks/hooks.ts'
import { createRegistration } from '../hooks/registration.ts'
import { createRegistry } from '../hooks/registry.ts'
import { createHookSync } from '../hooks/sync-hooks.ts'
import { createVault, sealSecretsAgain } from '../hooks/vault.ts'
import { openConsents } from '../settings/consents.ts'
import { createRetentionService } from '../retention/retention.ts'
import { createPorts, openSettings, openViews } from '../settings/settings.ts'
import { createAdmission } from '../outgoing/admit.ts'
import { createArrivals, createOwnSends } from '../outgoing/own-sends.ts'
import { createGuard, hostOf, resolveWithSystem } from '../outgoing/wire/guarded-sender.ts'
import { findCertificateProblem } from '../outgoing/wire/send-failure.ts'
import { trustedAuthorities } from '../outgoing/wire/sender.ts'
import { createIntake, createProbes } from '../receiver/intake.ts'
import { DEFAULT_LIMITS } from '../receiver/request.ts'
import { createForwards } from '../forwarding/forward.ts'
import { openSavedHandlers } from '../handlers/handlers.ts'
import { Replays } from '../replaying/replay.ts'
import { createShrinks } from '../shrinking/shrink.ts'
import { createDiagnosisService } from '../signature/diagnosis-service.ts'
import { openStore } from '../store/store.ts'
import { removeDeadFolders } from '../store/temporary-folder.ts'
import { createImporter } from '../import-export/importer.ts'
import { createLateVerdicts } from '../import-export/late-verdicts.ts'
import { maskingOf } from '../import-export/masking.ts'
import { testAddress } from '../tunnels/test-address.ts'
import { openTunnels } from '../tunnels/tunnels.ts'
import type { Core, CoreOptions } from './core.ts'
import { writeDiagnostics } from './file-log.ts'

const OFF: ReceiverStatus = {
  state: 'off',
  url: null,
  publicUrl: null,
  httpUrl: null,
  problem: null,
}

/** Loads what only a serving core needs: a command that only reads the store starts faster without these libraries. */
async function loadServing() {
  const [{ openIdentity }, { openCapture }, { startSandbox }, { createFlowServices }] =
    await Promise.all([
      import('../receiver/identity.ts'),
      import('./capture.ts'),
      import('./run-sandbox.ts'),
      import('../flows/service.ts'),
    ])
  return { openIdentity, openCapture, startSandbox, createFlowServices }
}

/** The part, or `NOT_RUNNING` if this core doesn't serve. `what` names what needs the part. */
function running<T>(part: T | null, what: string): T {
  if (part !== null) return part
  throw new AppError(
    'NOT_RUNNING',
    `${what} needs Countersign running. Start it with "countersign serve" (or open the app), then try again.`,
  )
}

/** Creates the core of one data folder. Rejects with an `AppError` that says what to do, leaving nothing open. */
export async function createCore(deps: Deps, options: CoreOptions): Promise<Core> {
  const { clock, dataFolder, host, ids, log, version, workers } = deps
  const randomBytes = (count: number) => deps.randomBytes(count)
  const { serve } = options
  const isServing = serve !== null
  const caFile = caFileOf(dataFolder)
  const closers: Closer[] = []
  const close = () => closeAll(closers)

  try {
    makeDataFolder(dataFolder)
    const folder = isServing ? await holdFolder(deps) : null
    if (folder !== null) {
      closers.push(folder.release)
      for (const each of [dataFolder, dirname(caFile)]) removeLeftovers(each)
      removeDeadFolders()
    }
    const serving = isServing ? await loadServing() : null
    const hub = createEventHub()
    const vault = createVault(await deps.secretBackends(dataFolder))

    // The store and what it keeps.
    /** Names of the environments that take any 2xx as an acknowledgement. */
    const lenient = new Set<string>()
    const store = await openStore({
      dataFolder,
      workers,
      log,
      isBrief: !isServing,
      withoutThreads: options.withoutThreads === true,
      ...(options.maxDatabaseBytes === undefined
        ? {}
        : { options: { maxBytes: options.maxDatabaseBytes } }),
      lenientEnvironments: () => [...lenient],
      onDescribed: (seqs) => hub.emit('deliveries.described', seqs),
      onStatus: (status) => hub.emit('store.changed', status),
    })
    closers.push(
      store.close,
      reportDeliveries({
        hub,
        read: (seqs) => store.read('rowsBySeq', seqs),
        total: store.total,
      }),
      reportStorage(hub, () => store.status()),
    )
    const base = { clock, ids, log, randomBytes, hub, vault, store }
    /** Ports of this process that senders use: the receiver's and the sandbox's. */
    const servedPorts = new Set<string>()
    const settings = await openSettings({
      ...base,
      // Loaded on demand: a command that only reads the store opens no socket.
      checkPort: async (port) => {
        if (!servedPorts.has(String(port)))
          await (await import('../receiver/server.ts')).checkPortFree(port)
      },
    })
    const bodyLimit = () => settings.current().bodyLimit
    const ports = createPorts(store, settings)
    const limits = () => settings.current().retention
    const keeping = createRetentionService({ ...base, limits, isServing })
    closers.push(keeping.close)
    hub.on('settings.changed', keeping.limitsChanged)
    const views = await openViews(base)

    // Environments and hooks.
    if (isServing) await sealSecretsAgain(store, vault, log)
    const consents = await openConsents(base)
    const environments = await openEnvironments({
      ...base,
      forgetConsent: (name) => consents.forget({ about: 'environment', name }),
    })
    const noteLenient = () => {
      lenient.clear()
      for (const { ack, name } of environments.all()) if (ack === '2xx') lenient.add(name)
    }
    noteLenient()
    hub.on('environments.changed', noteLenient)
    const registry = createRegistry()
    const hooks = await openHooks({ ...base, environments, registry })
    const lateVerdicts = createLateVerdicts({ ...base, environments, registry })
    // A single command finishes what it started.
    closers.push(isServing ? lateVerdicts.close : lateVerdicts.settled)
    hub.on('hook.keyed', lateVerdicts.judgeAll)
    hub.on('environments.changed', lateVerdicts.environmentsChanged)
    const diagnosis = createDiagnosisService(workers.diagnosis)
    closers.push(diagnosis.close)

    // The receiver, which listens once everything that hears its deliveries exists.
    const identity = serving === null ? null : await serving.openIdentity(deps)
    if (identity !== null) closers.push(identity.close)
    const caPem = identity?.caPem ?? null
    const capture =
      serving === null || serve === null
        ? null
        : await serving.openCapture({ serve, hub, ports, store })
    if (capture !== null) closers.push(capture.close)
    const receiver = () => capture?.status() ?? OFF

    // What sends, to the service's API and to the user's own endpoint.
    const clients = createServiceClients({ environments, clock, caPem })
    closers.push(clients.close)
    const registration = createRegistration({
      ...{ hooks, environments, clients },
      reachability: {
        findCertificateProblem: (url) => findCertificateProblem(url, trustedAuthorities([])),
      },
      address: () => {
        const { publicUrl, url } = receiver()
        return publicUrl ?? url
      },
      randomBytes,
    })
    /** Ports of this process that are never a send's target: the control channel's, and those that the host reports. */
    const ownPorts = new Set<number>()
    const resolve = resolveWithSystem
    const guard = createGuard({ clock, resolve, caPem, ownPorts: () => ownPorts })
    const admission = createAdmission({ guard, known: { hooks, environments } })
    const ownSends = createOwnSends(clock)
    const { admit } = admission
    const savedHandlers = await openSavedHandlers({
      ...base,
      ...{ hooks, admit },
      forgetConsent: (name) => consents.forget({ about: 'host', name }),
    })
    const sending = {
      ...base,
      ...{ version, hooks, environments, ownSends, admission, admit },
      bodyLimit,
      keptConsent: consents.current,
      mask: async () =>
        (await maskingOf({ hooks, environments, savedHandlers }, 'credentials')).text,
      handlerSigner: savedHandlers.signer,
      handlerName: savedHandlers.nameOf,
      signerAt: async (target: string) => {
        const saved = savedHandlers.at(target)
        return saved === null ? null : savedHandlers.signer(saved.id)
      },
    }
    const replays = new Replays(sending)
    const forwards = createForwards(sending)
    hub.on('deliveries.described', (seqs) => forwards.described(Math.max(...seqs)))
    hub.on('hooks.changed', forwards.hooksChanged)
    hub.on('environments.changed', forwards.hooksChanged)
    hub.on('handlers.changed', forwards.hooksChanged)
    hub.on('consent.changed', forwards.hooksChanged)
    const checks = createChecks(sending)
    hub.on('check.changed', ({ run: { id: runId, createdAt: at, ...run } }) => {
      if (run.state !== 'done') return
      const { target, passed, failed, skipped, score } = run
      savedHandlers
        .checked(target, { runId, at, passed, failed, skipped, score })
        .catch((error: unknown) => log.bug(error, "storing a handler's check"))
    })
    const shrinks = createShrinks({ ...sending, threadEntry: workers.shrink })
    const flows = createFlows({
      ...sending,
      receiverUrl: () => receiver().url,
      capturePaused: () => receiver().state === 'paused',
      openHandler: createHandlerOpener({
        ...base,
        ownSends,
        prefixes: () => knownPrefixes(environments),
      }),
      startService:
        serving === null || identity === null
          ? null
          : serving.createFlowServices({ ...base, identity, environments, admission }),
    })
    hub.on('delivery.stored', flows.stored)
    hub.on('delivery.answered', flows.answered)

    // Listens: from here on, deliveries arrive.
    const arrivals = createArrivals()
    const probes = createProbes(randomBytes)
    if (serving !== null && identity !== null && capture !== null) {
      await capture.start({
        identity,
        clock,
        log,
        limits: { ...DEFAULT_LIMITS, bodyBytes: bodyLimit },
        judgeStream: registry.judgeStream,
        take: createIntake({
          ...base,
          ...{ registry, ownSends, arrivals, probes },
          answerer: forwards.answerer,
          isPaused: capture.isPaused,
          flowRunOf: flows.flowRunOf,
        }),
      })
    }
    const sandbox =
      serving === null || identity === null || serve === null || serve.withoutSandbox === true
        ? null
        : await serving.startSandbox({
            ...base,
            ...{ arrivals, environments, hooks, identity, ports, serve, admission, receiver },
          })
    if (sandbox !== null) closers.push(sandbox.close)
    const { url, httpUrl } = receiver()
    for (const served of [url, httpUrl, sandbox?.url ?? null])
      if (served !== null) servedPorts.add(new URL(served).port)
    const tunnels =
      capture === null
        ? null
        : await openTunnels({
            ...{ store, hub, capture, dataFolder, caFile },
            env: process.env,
            async test(address) {
              // By setting the URL, the user allowed its host, because the service should send there.
              const policy = guard.policyFor([hostOf(new URL(address))])
              const sender = guard.createSender({ policy, keepAlive: false })
              try {
                return await testAddress(address, { clock, probes, sender })
              } finally {
                await sender.close()
              }
            },
          })
    if (tunnels !== null) closers.push(tunnels.close)
    // Nothing of these runs before. They end while the receiver and the sandbox still respond to them.
    closers.push(
      () => replays.jobs.close(),
      forwards.close,
      checks.close,
      shrinks.close,
      flows.close,
    )
    const status = async (): Promise<AppStatus> => ({
      version,
      host,
      pid: process.pid,
      dataFolder,
      caFile,
      receiver: receiver(),
      sandbox: sandbox?.url ?? null,
      store: await store.status(),
      vault: vault.status(),
    })
    const services = { store, hooks, environments, registry, diagnosis, status }
    const causes = createCauses(services, log, hub)
    closers.push(causes.close)
    if (isServing) {
      hub.on('delivery.stored', ({ verdict }) => {
        if (verdict === 'invalid') causes.wake()
      })
      hub.on('hooks.changed', causes.wake)
      hub.on('environments.changed', causes.wake)
      // Continues what an earlier process left unfinished.
      await forwards.start()
      causes.wake()
    }

    // Answers the contract.
    const doctor = async () => {
      const { renewalTime, storedRenewalTime } = await import('../receiver/identity.ts')
      const [damage] = await Promise.all([store.findDamage(), store.search.open()])
      return runDoctor({
        status: await status(),
        hooks: hooks.list(),
        isDeaf: async (address) =>
          (await guard.probe(address, { policy: guard.policyFor([]) })).failure?.kind === 'refused',
        durability: await store.write('durability', null),
        damage,
        limits: limits(),
        renewalAt:
          identity === null
            ? await storedRenewalTime(dataFolder)
            : renewalTime(identity.certificate().cert),
        addressTest:
          receiver().publicUrl === null || tunnels === null ? null : await tunnels.test(),
        now: clock.now(),
      })
    }
    const diagnostics = async () => {
      const masking = await maskingOf({ hooks, environments, savedHandlers }, 'strict')
      const targets = Object.groupBy((await forwards.list()).targets, ({ light }) => light)
      return writeDiagnostics({
        status: await status(),
        checks: await doctor(),
        // Counted only: their names and URLs are private.
        stored: {
          settings: settings.current(),
          hooks: hooks.list().length,
          environments: environments.all().length,
          targets: Object.fromEntries(
            Object.entries(targets).map(([light, those]) => [light, those.length]),
          ),
          tunnel: tunnels?.status().state ?? 'off',
        },
        now: clock.now(),
        mask: (text) => masking.text(text),
      })
    }
    const router = createRouter({
      handlers: createHandlers({
        ...{
          store,
          settings,
          consents,
          keeping,
          views,
          environments,
          hooks,
          registry,
          savedHandlers,
        },
        ...{
          replays,
          forwards,
          checks,
          shrinks,
          flows,
          diagnosis,
          ids,
          lateVerdicts,
          causes,
          registration,
        },
        ...{ status, doctor, diagnostics },
        announce: (seq) => hub.emit('delivery.imported', seq),
        importer: createImporter({ store, hooks, registry, hub, clock, ids, bodyLimit }),
        syncHooks: createHookSync({ hooks, environments, clients }),
        now: () => clock.now(),
        businessNow: (environment) =>
          sandbox !== null && environment !== null && isSandboxEnvironment(environment)
            ? Date.parse(sandbox.clock.state().now)
            : clock.now(),
        curlTrust: () => ({ receiver: receiver().url, caFile }),
        browsers() {
          if (options.browsers !== undefined) return options.browsers()
          throw new AppError(
            'UNSUPPORTED',
            'This is the desktop app, so it has no URL to open in a browser.',
          )
        },
        checkEnvironment: (name) => tryEnvironment(environments.get(name), clients, ids),
        setPublicUrl: async (publicUrl) =>
          running(capture, 'Setting the public URL').setPublicUrl(publicUrl),
        pauseReceiver: async () => running(capture, 'Pausing capture').setPaused(true),
        resumeReceiver: async () => running(capture, 'Resuming capture').setPaused(false),
        sandbox: (what) => running(sandbox, what),
        tunnels: (what) => running(tunnels, what),
        sample: async (signal) => running(sandbox, 'Sending a sample').sample(signal),
      }),
      ...(options.native === undefined ? {} : { native: options.native }),
      keptConsent: consents.current,
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

    // Other processes of this user can connect.
    const control = isServing ? await startControlServer(randomBytes, connect) : null
    if (control !== null && folder !== null) {
      closers.push(control.close)
      ownPorts.add(Number(new URL(control.url).port))
      await folder.publish({
        control: { url: control.url, token: control.token },
        receiver: receiver().url,
        sandbox: sandbox?.url ?? null,
      })
    }
    const sleep = isServing ? watchSleep({ clock, log, onWoke: () => clock.woke?.() }) : null
    if (sleep !== null) closers.push(sleep.close)
    return {
      connect,
      on: hub.on,
      status,
      control,
      ports,
      keepFromSends: (port) => ownPorts.add(port),
      resumed: () => sleep?.resumed(),
      close,
    }
  } catch (error) {
    // The original error is reported.
    await close().catch((failure: unknown) => log.bug(failure, 'closing opened parts'))
    throw error
  }
}
