/** A sandbox for each test of a file, with an endpoint for its events. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Sandbox } from '../../src/core/sandbox/sandbox.ts'
import type { TriggerInput } from '../../src/core/sandbox/trigger.ts'
import { memoryStorage, type SandboxStorage } from '../../src/core/sandbox/records.ts'
import { isQualifiedEvent, shownEventTypes } from '../../src/shared/service/event-type.ts'
import { checkPayload } from '../../src/shared/service/payload.ts'
import type { Transaction } from '../../src/shared/service/resources.ts'
import {
  startEndpoint,
  type Endpoint,
  type EndpointAnswer,
  type ReceivedCall,
} from './https-endpoint.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { bugs, startTestSandbox } from './test-sandbox.ts'
import { makeTestTls, type TestTls } from './tls.ts'

export const OFFER = '6d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
export const SECRET = 'the secret of every hook here'

/** Events whose hooks receive every transaction, whether or not it qualifies for an offer. */
export const plainEvents = shownEventTypes.filter((event) => !isQualifiedEvent(event))

export let clock: ManualClock
export let storage: SandboxStorage
export let sandbox: Sandbox
export let endpoint: Endpoint
let answer: EndpointAnswer = 200
let tls: TestTls
let returned = 0

export function answerWith(next: EndpointAnswer): void {
  answer = next
}

/** Starts a sandbox for each test; called at the top of a test file. */
export function sandboxForEachTest(): void {
  beforeAll(async () => {
    tls = await makeTestTls()
  })
  afterAll(() => {
    expect(bugs).toEqual([])
  })
  beforeEach(async () => {
    clock = createManualClock()
    storage = memoryStorage()
    await startAgain()
    answer = 200
    returned = 0
    endpoint = await startEndpoint(tls.leaf, () => answer)
  })
  afterEach(async () => {
    await sandbox.close()
    await endpoint.close()
  })
}

/** Restarts the sandbox after a test closed it, with the same or another storage. */
export async function startAgain(other: SandboxStorage = storage): Promise<void> {
  storage = other
  sandbox = await startTestSandbox(tls, { clock, storage })
}

type SandboxHook = Parameters<Sandbox['registerHook']>[0]

/** Registers a hook in test mode whose id is also the path of its URL. */
export function register(
  id: string,
  hook: Partial<SandboxHook> & Pick<SandboxHook, 'event'>,
): Promise<unknown> {
  const url = `${endpoint.origin}/${id}`
  return sandbox.registerHook({ id, url, secret: SECRET, mode: 'test', ...hook })
}

/** Registers a hook for each event, with the event's name at the end of its URL. */
export async function hooks(
  mode: 'test' | 'live',
  events: readonly string[] = shownEventTypes,
): Promise<void> {
  for (const event of events) {
    await register(`${mode} ${event}`, { event, url: `${endpoint.origin}/${event}`, mode })
  }
}

/** Returns the events received since the last call. */
export function received(): string[] {
  const names = endpoint.calls.slice(returned).map(({ path }) => path.slice(1))
  returned = endpoint.calls.length
  return names
}

export interface Sent<T = Transaction> {
  readonly event: string
  readonly payload: T
  readonly call: ReceivedCall
}

/** Triggers an event and returns the deliveries in order, which match their schemas. */
export async function trigger<T = Transaction>(
  input: TriggerInput,
  wrong = false,
): Promise<{ sent: Sent<T>[]; objects: Record<string, string> }> {
  const before = endpoint.calls.length
  const { objects } = await sandbox.trigger(input)
  const sent = endpoint.calls.slice(before).map((call) => {
    const event = call.path.slice(1)
    if (!wrong)
      expect([event, checkPayload(event, call.body)]).toEqual([
        event,
        { outcome: 'ok', failures: [], findings: [] },
      ])
    return { event, payload: JSON.parse(call.body.toString()) as T, call }
  })
  return { sent, objects }
}

export function firstOf(sent: readonly Sent[]): Sent {
  const [first] = sent
  if (first === undefined) throw new Error('nothing was sent')
  return first
}

export function namesOf(sent: readonly Pick<Sent<unknown>, 'event'>[]): string[] {
  return sent.map(({ event }) => event)
}

export function hasValidSignature({ body, path, headers }: ReceivedCall, secret = SECRET): boolean {
  const hmac = (data: Buffer | string) => createHmac('sha256', secret).update(data).digest('base64')
  const text = Buffer.concat([
    body,
    Buffer.from(`${endpoint.origin}${path}`),
    Buffer.from(headers['x-service-timestamp'] ?? ''),
  ])
  return hmac(hmac(text)) === headers['x-service-signature']
}
