/** Creates what sends: to the service's API, and to the user's own endpoint. */
import type { Deps } from '../base/deps.ts'
import { HandlerChecks } from '../check/checks.ts'
import { Flows } from '../flows/flows.ts'
import { createHandlerOpener } from '../flows/run-handler.ts'
import { Forwards } from '../forwarding/forwards.ts'
import { openSavedHandlers } from '../handlers/handlers.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { Registration } from '../hooks/registration.ts'
import { createServiceClients } from '../hooks/service-clients.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { Admission } from '../outgoing/admit.ts'
import { createOwnSends } from '../outgoing/own-sends.ts'
import { findCertificateProblem } from '../outgoing/wire/certificate-check.ts'
import { createGuard } from '../outgoing/wire/guarded-sender.ts'
import { trustedAuthorities } from '../outgoing/wire/sender.ts'
import { resolveWithSystem } from '../outgoing/wire/target-policy.ts'
import { ComposedRequests } from '../replaying/composed-requests.ts'
import { Replays } from '../replaying/replays.ts'
import { CaptureEncryption } from '../sharing/capture-encryption.ts'
import { Shrinker } from '../shrinking/shrink.ts'
import type { HookParts } from './open-hook-parts.ts'
import type { Reception } from './open-reception.ts'
import type { Closers, StorageParts } from './open-storage.ts'

export type Sending = Awaited<ReturnType<typeof openSending>>

type SendingParts = StorageParts & HookParts & Reception

/** Events after which deliveries may be signed in another way. */
const SIGNER_EVENTS = [
  'hooks.changed',
  'environments.changed',
  'handlers.changed',
  'consent.changed',
] as const

function openServiceApi(parts: SendingParts, closers: Closers) {
  const { caPem, clock, environments, hooks, randomBytes, receiver } = parts
  const clients = createServiceClients({ environments, clock, caPem })
  closers.add(clients.close)
  const registration = new Registration({
    ...{ hooks, environments, clients, randomBytes },
    reachability: {
      findCertificateProblem: (url) => findCertificateProblem(url, trustedAuthorities([])),
    },
    address: () => {
      const { publicUrl, url } = receiver()
      return publicUrl ?? url
    },
  })
  return { clients, registration }
}

async function openAdmission(parts: SendingParts) {
  const { caPem, clock, consents, environments, hooks } = parts
  /** Ports of this process that may never be a send's target, such as the control channel's. */
  const ownPorts = new Set<number>()
  const resolve = resolveWithSystem
  const guard = createGuard({ clock, resolve, caPem, ownPorts: () => ownPorts })
  const admission = new Admission({ guard, known: { hooks, environments } })
  const { admit } = admission
  const savedHandlers = await openSavedHandlers({
    ...parts,
    admit,
    forgetConsent: (name) => consents.forget({ about: 'host', name }),
  })
  return { ownPorts, guard, admission, admit, savedHandlers, ownSends: createOwnSends(clock) }
}

type Admitting = Awaited<ReturnType<typeof openAdmission>>

/** Returns all parts under the senders' names; each one's type picks its own. */
function sendingDepsOf(parts: SendingParts & Admitting, version: string) {
  const { consents, environments, hooks, savedHandlers, settings } = parts
  return {
    ...parts,
    version,
    bodyLimit: () => settings.current().bodyLimit,
    keptConsent: () => consents.current(),
    mask: async () => (await maskingOf({ hooks, environments, savedHandlers }, 'credentials')).text,
    handlerSigner: (id: string) => savedHandlers.signer(id),
    handlerName: (id: string) => savedHandlers.nameOf(id),
    signerAt: async (target: string) => {
      const saved = savedHandlers.at(target)
      return saved === null ? null : savedHandlers.signer(saved.id)
    },
    handlerEvidence: (target: string, runId: string) => savedHandlers.evidenceAt(target, runId),
  }
}

type SendingDeps = ReturnType<typeof sendingDepsOf>

function openForwards(deps: SendingDeps): Forwards {
  const forwards = new Forwards(deps)
  deps.hub.on('deliveries.described', (seqs) => forwards.routeUpTo(Math.max(...seqs)))
  for (const event of SIGNER_EVENTS) deps.hub.on(event, () => forwards.hooksChanged())
  return forwards
}

function openChecks(deps: SendingDeps) {
  const { hub, log, savedHandlers } = deps
  hub.on('check.changed', ({ run: { id: runId, createdAt: at, ...run } }) => {
    if (run.state !== 'done') return
    const { target, passed, failed, skipped, score } = run
    savedHandlers
      .checked(target, { runId, at, passed, failed, skipped, score })
      .catch((error: unknown) => log.bug(error, "storing a handler's check"))
  })
  return new HandlerChecks(deps)
}

function openFlows(deps: SendingDeps) {
  const { environments, hub, receiver, serving } = deps
  const flows = new Flows({
    ...deps,
    receiverUrl: () => receiver().url,
    capturePaused: () => receiver().state === 'paused',
    openHandler: createHandlerOpener({ ...deps, prefixes: () => knownPrefixes(environments) }),
    startService:
      serving === null ? null : serving.createFlowServices({ ...deps, identity: serving.identity }),
  })
  hub.on('delivery.stored', flows.takeDelivery)
  hub.on('delivery.answered', flows.takeResponse)
  return flows
}

export async function openSending(
  parts: SendingParts,
  { version, workers }: Pick<Deps, 'version' | 'workers'>,
  closers: Closers,
) {
  const service = openServiceApi(parts, closers)
  const admitting = await openAdmission(parts)
  const deps = sendingDepsOf({ ...parts, ...admitting }, version)
  const replays = new Replays(deps)
  const composed = new ComposedRequests({ ...deps, replays })
  const forwards = openForwards(deps)
  const checks = openChecks(deps)
  const shrinks = new Shrinker({ ...deps, threadEntry: workers.shrink })
  const flows = openFlows(deps)
  const encryption = new CaptureEncryption(workers.encryption)
  closers.add(() => encryption.close())
  return {
    ...service,
    ...admitting,
    replays,
    composed,
    forwards,
    checks,
    shrinks,
    flows,
    encryption,
  }
}
