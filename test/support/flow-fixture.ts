/** The real parts of a flow, so that a test can put a defect into the service that a run uses. */
import type { ReceivedDelivery } from '../../src/core/base/event-hub.ts'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createArrivals, createOwnSends } from '../../src/core/outgoing/own-sends.ts'
import { createGuard } from '../../src/core/outgoing/wire/guarded-sender.ts'
import { resolveWithSystem } from '../../src/core/outgoing/wire/target-policy.ts'
import { Flows } from '../../src/core/flows/flows.ts'
import { createHandlerOpener } from '../../src/core/flows/run-handler.ts'
import { createFlowServices, type FlowService } from '../../src/core/flows/flow-service.ts'
import type { Environments } from '../../src/core/hooks/environments.ts'
import type { Hooks } from '../../src/core/hooks/hooks.ts'
import { createEventHub } from '../../src/core/base/event-hub.ts'
import { openIdentity } from '../../src/core/receiver/identity.ts'
import { Intake } from '../../src/core/receiver/intake.ts'
import { createProbes } from '../../src/core/receiver/probes.ts'
import { DEFAULT_LIMITS } from '../../src/core/receiver/receiver-limits.ts'
import { startReceiver } from '../../src/core/receiver/server.ts'
import { Admission, type Admitted } from '../../src/core/outgoing/admit.ts'
import type { Store } from '../../src/core/store/store.ts'
import { flowCommands } from '../../src/shared/contract/nouns/flows.ts'
import type { InputOf, ParsedInputOf } from '../../src/shared/contract/contract.ts'
import type { FlowRun } from '../../src/shared/model/flow-run.ts'
import { listen } from './listen.ts'
import { signatureOf } from './deliver.ts'
import { accountsInFolder } from './in-folder.ts'
import { closeAtEnd, temporaryFolder } from './temporary-folder.ts'
import { testDeps } from './test-core.ts'

export type Defect = (service: FlowService) => FlowService

export interface FlowFixture {
  readonly flows: Flows
  readonly store: Store
  readonly hooks: Hooks
  readonly environments: Environments
  readonly caFile: string
  readonly receiver: string
  readonly bugs: readonly unknown[]
  readonly reported: FlowRun[]
  readonly stored: readonly ReceivedDelivery[]
  start(input: InputOf<'flows.start'>, defect?: Defect): Promise<FlowRun>
  run(input: InputOf<'flows.start'>, defect?: Defect): Promise<FlowRun>
  ended(runId: string): Promise<FlowRun>
  pauseCapture(paused: boolean): void
  /** Shortens the 20 seconds that a handler has; null restores them. */
  limitHandler(ms: number | null): void
}

export async function startFlowFixture(): Promise<FlowFixture> {
  const folder = temporaryFolder()
  const deps = testDeps(folder)
  const { clock, ids, log, randomBytes, bugs } = deps
  const identity = await openIdentity({ dataFolder: folder, clock, log, randomBytes })
  closeAtEnd(identity.close)
  const { store, environments, registry, hooks } = await accountsInFolder(folder, deps)
  const ownSends = createOwnSends(clock)
  const stored: ReceivedDelivery[] = []
  let isPaused = false
  const hub = createEventHub()
  const { take } = new Intake({
    registry,
    store,
    hub,
    ids,
    log,
    ownSends,
    arrivals: createArrivals(),
    probes: createProbes(randomBytes),
    answerer: () => null,
    isPaused: () => isPaused,
    flowRunOf: (hookId) => flows.flowRunOf(hookId),
  })
  const listening = await startReceiver({
    identity,
    clock,
    log,
    limits: DEFAULT_LIMITS,
    host: '127.0.0.1',
    port: 0,
    httpPort: null,
    take,
    judgeStream: registry.judgeStream,
  })
  closeAtEnd(listening.close)
  const receiver = `https://127.0.0.1:${listening.port}`
  const guard = createGuard({
    clock,
    resolve: resolveWithSystem,
    caPem: identity.caPem,
    ownPorts: () => new Set(),
  })
  const admission = new Admission({ guard, known: { hooks, environments } })
  const services = { clock, ids, log, randomBytes, identity, environments, admission }
  const sound = createFlowServices(services)
  let defect: Defect = (service) => service
  const reported: FlowRun[] = []
  const waiting = new Map<string, PromiseWithResolvers<FlowRun>>()
  const endOf = (id: string) => {
    const pending = waiting.get(id) ?? Promise.withResolvers<FlowRun>()
    waiting.set(id, pending)
    return pending
  }
  let handlerLimitMs: number | null = null
  const openHandler = createHandlerOpener({
    store,
    log,
    ownSends,
    clock,
    prefixes: () => ['service'],
  })
  const shortened =
    (create: Admitted['createSender']): Admitted['createSender'] =>
    (options) => {
      const sender = create(options)
      return {
        ...sender,
        send: (request) =>
          sender.send({
            ...request,
            ...(handlerLimitMs === null ? {} : { timeoutMs: handlerLimitMs }),
          }),
      }
    }
  const flows = new Flows({
    store,
    hooks,
    ownFlows: { list: () => [] },
    environments,
    clock,
    ids,
    log,
    randomBytes,
    admit: admission.admit,
    openHandler: (options, admitted, run) =>
      openHandler(options, { ...admitted, createSender: shortened(admitted.createSender) }, run),
    startService: async (...options) => defect(await sound(...options)),
    receiverUrl: () => receiver,
    capturePaused: () => isPaused,
    hub,
  })
  closeAtEnd(flows.close)
  hub.on('flows.changed', ({ run }) => {
    reported.push(run)
    if (run.endedAt !== null) endOf(run.id).resolve(run)
  })
  hub.on('delivery.stored', (row) => {
    stored.push(row)
    flows.takeDelivery(row)
  })
  hub.on('delivery.answered', flows.takeResponse)
  const start: FlowFixture['start'] = (input, wrong = (service) => service) => {
    defect = wrong
    const { allowHosts, live, ...parsed } = flowCommands['flows.start'].input.parse(input)
    return flows.start({ ...withSecret(parsed), consent: { allowHosts, live } })
  }
  return {
    flows,
    store,
    hooks,
    environments,
    caFile: identity.caFile,
    receiver,
    bugs,
    reported,
    stored,
    start,
    run: async (input, wrong) => endOf((await start(input, wrong)).id).promise,
    ended: (runId) => endOf(runId).promise,
    pauseCapture(paused) {
      isPaused = paused
    },
    limitHandler(ms) {
      handlerLimitMs = ms
    },
  }
}

/** A delivery as a test's handler receives it, verified by an independent implementation. */
export interface SeenDelivery {
  readonly body: string
  readonly isSigned: boolean
  readonly ageMs: number
}

export interface TestHandler {
  readonly url: string
  readonly seen: SeenDelivery[]
  connections(): number
  close(): Promise<void>
}

/** Returns the status of a correct handler, which verifies signature and age. */
export function rightAnswer({ isSigned, ageMs }: SeenDelivery): number {
  return isSigned && Math.abs(ageMs) <= 300_000 ? 200 : 401
}

/**
 * Starts a developer's endpoint that verifies over its own URL. It never responds if `answer`
 * returns null.
 */
export async function startFlowHandler(
  secret: string,
  answer: (delivery: SeenDelivery, number: number) => number | null,
): Promise<TestHandler> {
  const seen: SeenDelivery[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const timestamp = String(request.headers['x-service-timestamp'])
      const isSigned =
        request.headers['x-service-signature'] === signatureOf(secret, body, url, timestamp)
      const delivery = { body: body.toString(), isSigned, ageMs: Date.now() - Number(timestamp) }
      seen.push(delivery)
      const status = answer(delivery, seen.length)
      if (status === null) return
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ status }))
    })
  })
  server.on('connection', () => connections++)
  const port = await listen(server)
  const url = `http://127.0.0.1:${port}/webhooks`
  return {
    url,
    seen,
    connections: () => connections,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Adds the secret to an endpoint, because flows get endpoints with their secrets. */
export function withSecret<Input extends Pick<ParsedInputOf<'flows.start'>, 'handler'>>({
  handler,
  ...input
}: Input) {
  return {
    ...input,
    handler:
      handler === null
        ? null
        : {
            ...handler,
            signers: [{ event: null, secret: handler.secret ?? '', url: null, headers: {} }],
            prefix: 'service',
          },
  }
}
