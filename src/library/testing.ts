/// <reference lib="esnext.disposable" preserve="true" />
/**
 * `countersign/testing`: the service's sandbox for tests of a webhook handler, with any test
 * runner. The sandbox is a separate Countersign process with a temporary data folder; it stops with
 * the process that started it.
 */
import { AssertionError } from 'node:assert'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { signTampered } from '../core/signature/signers.ts'
import { secretKey } from '../core/signature/sign.ts'
import { deliveryHeaders } from '../core/signature/signature-headers.ts'
import { shownEventTypes } from '../shared/service/event-type.ts'
import { targetKind } from '../shared/http.ts'
import type { TriggerResult } from '../shared/model/sandbox.ts'
import { DEFAULT_PREFIX, headerNames } from '../shared/service/header-names.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, acknowledges } from '../shared/service/limits.ts'
import { checkArguments, isText, prefixRule, type Rule, type Rules } from './arguments.ts'
import type { EventPayloads, EventType } from './payloads.ts'

const tamperings = [
  'body',
  'secret',
  'stale',
  'future',
  'single-pass',
  'no-signature',
  'no-timestamp',
  'url',
] as const
const faults = ['duplicate', 'out-of-order', 'late'] as const

/** An event whose payload the spec shows, so that the sandbox can send it. */
export type SandboxEvent = {
  [Event in EventType]: unknown extends EventPayloads[Event] ? never : Event
}[EventType]

/**
 * Deliberate faults of a delivery, as for `countersign replay --tamper`. Your handler should reject
 * each.
 */
export type Tampering = (typeof tamperings)[number]

/** The handler under test, with its configuration. */
export interface SandboxOptions {
  /** URL of your handler, such as `http://127.0.0.1:3000/webhooks`. */
  readonly handler: string
  /** Secret that your handler verifies with. */
  readonly secret: string
  /** URL that your handler verifies with, if it isn't `handler`. */
  readonly registeredUrl?: string | undefined
  /** The service's name in the header names, `service` by default. */
  readonly prefix?: string | undefined
  /**
   * Host name of your handler, if it isn't on this computer. Use a test instance: it processes the
   * events.
   */
  readonly allowHost?: string | undefined
}

/** Differences of an event from an ordinary one. */
export interface EventOptions {
  /** Fields of the payload by path, such as `{ amount: 12.5, 'card.lastNumbers': '4444' }`. */
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** Paths of fields to leave out. */
  readonly unset?: readonly string[] | undefined
  /** ID of the object that the event is about: a refund's purchase, a clearing's auth. */
  readonly of?: string | undefined
}

export interface TriggerOptions extends EventOptions {
  /** Deliveries that are sent twice, out of order, or a day late. */
  readonly fault?: (typeof faults)[number] | undefined
}

/**
 * Changes that `deliver()` makes to the event and the request. The rest is as the service sends it.
 */
export interface Overrides extends EventOptions {
  readonly tamper?: Tampering | undefined
  /** A body to sign and send instead of the event's. */
  readonly body?: string | Uint8Array | undefined
  /** Headers to add or replace; null omits one. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
}

/** A request to your handler, and its response. */
export interface Delivery<Event extends SandboxEvent = SandboxEvent> {
  readonly event: Event
  readonly tamper: Tampering | null
  /** Payload of the event, without the changes of `body` and `tamper`. */
  readonly payload: EventPayloads[Event]
  /** Headers and body as sent. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Status of the response; null if there was none. */
  readonly status: number | null
  /** Body of the response, or the reason for none: `connect ECONNREFUSED 127.0.0.1:3000`. */
  readonly response: string
}

export interface Sandbox extends AsyncDisposable {
  /** URL of the sandbox's app, to see in a browser what happened. It works once. */
  readonly ui: string
  /**
   * Triggers an event in the sandbox and sends your handler each delivery that follows, in order.
   * An event may cause others: a refund also sends its clearing.
   *
   * @throws `Error` if the sandbox can't send the event.
   */
  trigger(event: SandboxEvent, options?: TriggerOptions): Promise<Delivery[]>
  /**
   * Sends your handler one delivery of an event, correctly signed unless `overrides` say otherwise.
   *
   * @throws `Error` if the sandbox can't send the event.
   */
  deliver<Event extends SandboxEvent>(event: Event, overrides?: Overrides): Promise<Delivery<Event>>
  /**
   * Runs a `countersign` command in the sandbox. Resolves with its output; rejects with its error.
   */
  run(...args: readonly string[]): Promise<string>
  /** Stops the sandbox and deletes its data. */
  stop(): Promise<void>
}

const oneOf = (values: readonly unknown[]): Rule => ({
  accepts: (value = values[0]) => values.includes(value),
  fix: `Pass one of ${values.join(', ')}.`,
})
const urlOr = (fallback?: string): Rule => ({
  accepts: (value = fallback) =>
    typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
  fix: 'Pass a complete URL, such as http://127.0.0.1:3000/webhooks.',
})
const sandboxRules: Rules = {
  handler: urlOr(),
  secret: { accepts: isText, fix: 'Pass the secret that your handler verifies with.' },
  registeredUrl: urlOr('http://localhost'),
  prefix: prefixRule,
}
const eventOptions = ['set', 'unset', 'of']
const deliveryRules: Rules = {
  delivery: {
    accepts: (value) => Object.hasOwn(Object(value), 'tamper'),
    fix: 'Pass one delivery: await deliver(), or each of await trigger().',
  },
}

/** Time that the sandbox may take to stop. */
const STOP_MS = 10_000
/** Characters of a response that a failed assertion shows. */
const SHOWN_RESPONSE = 300

/**
 * Starts `countersign serve --stdio`, which doesn't keep this process running, except during a
 * command.
 */
async function startProcess() {
  const command = fileURLToPath(new URL('../../bin/countersign.mjs', import.meta.url))
  const child = spawn(process.execPath, [command, 'serve', '--stdio'], {
    // Options and cache of the test runner aren't meant for it.
    env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: '' },
  })
  const { stdin, stdout, stderr } = child
  let stderrText = ''
  stderr.setEncoding('utf8').on('data', (text: string) => (stderrText += text))
  // Writing to a process that has ended fails; `next` reports that.
  stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      stderrText = `Couldn't start the sandbox: ${message}.`
      resolve()
    })
    child.once('close', () => resolve())
  })
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()

  /**
   * Resolves with the next line of the output. Rejects with the process's error if it has ended.
   */
  async function readResult(): Promise<unknown> {
    child.ref()
    const { done, value } = await lines.next()
    if (done === true) {
      await ended
      throw new Error(
        stderrText.trim() || 'The sandbox has stopped. Start another with startSandbox().',
      )
    }
    child.unref()
    return JSON.parse(value)
  }

  const started = (await readResult()) as { readonly ui: string; readonly receiver: string }
  for (const stream of [stdin, stdout, stderr])
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
  /** The last command: commands run one at a time, so that each result is the next line. */
  let lastCommand: Promise<unknown> = Promise.resolve()
  return {
    ...started,
    run(...args: readonly string[]): Promise<string> {
      const run = async () => {
        stdin.write(`${JSON.stringify(args)}\n`)
        const result = (await readResult()) as Record<'stdout' | 'stderr', string> & {
          code: number
        }
        if (result.code === 0) return result.stdout
        throw new Error((result.stderr || result.stdout).trim())
      }
      const result = lastCommand.then(run)
      lastCommand = result.catch(() => undefined)
      return result
    },
    async stop(): Promise<void> {
      child.ref()
      stdin.end()
      const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(killTimer)
    },
  }
}

/** Signs and sends one delivery, and waits for the response as long as the service does. */
async function send<Event extends SandboxEvent>(
  { handler, secret, registeredUrl = handler, prefix = DEFAULT_PREFIX }: SandboxOptions,
  event: Event,
  sent: string,
  overrides: Overrides = {},
): Promise<Delivery<Event>> {
  const tamper = overrides.tamper ?? null
  const signing = { key: secretKey(secret), url: registeredUrl }
  const signed = signTampered(signing, Buffer.from(overrides.body ?? sent), tamper, Date.now())
  const names = headerNames(prefix)
  const headers = new Headers(Object.fromEntries(deliveryHeaders(prefix, signed, {})))
  const changes = Object.entries({
    ...(tamper === 'no-signature' ? { [names.signature]: null } : {}),
    ...(tamper === 'no-timestamp' ? { [names.timestamp]: null } : {}),
    ...overrides.headers,
  })
  for (const [name, value] of changes)
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  const body = Buffer.from(signed.body)
  const signal = AbortSignal.timeout(ACKNOWLEDGE_TIMEOUT_MS)
  const answer = await fetch(handler, { method: 'POST', headers, body, redirect: 'manual', signal })
    .then(async (response) => ({ status: response.status, response: await response.text() }))
    .catch(({ cause, message }: Error) => ({
      status: null,
      response: cause instanceof Error ? cause.message : message,
    }))
  const payload = JSON.parse(sent) as EventPayloads[Event]
  return { event, tamper, payload, headers: Object.fromEntries(headers), body, ...answer }
}

const eventArguments = ({ set = {}, unset = [], of }: EventOptions) => [
  ...Object.entries(set).flatMap(([path, value]) => ['--set', `${path}=${JSON.stringify(value)}`]),
  ...unset.flatMap((path) => ['--unset', path]),
  ...(of === undefined ? [] : ['--of', of]),
]

/**
 * Returns the event's environment: the service sends only `program.status` in live mode alone (spec
 * 6.2).
 */
const environmentOf = (event: SandboxEvent) =>
  event === 'program.status' ? ['--environment', 'sandbox-live', '--live'] : []

/**
 * Starts a sandbox for your handler, in about a second. Stop it with `stop()` or `await using`; it
 * also stops when this process ends.
 *
 * @throws `TypeError` if an option is wrong, or the handler is remote without `allowHost`; `Error`
 * with Countersign's error if the sandbox can't start.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  checkArguments(sandboxRules, options, ['allowHost'])
  const { hostname } = new URL(options.handler)
  if (targetKind(options.handler, null) !== 'here' && options.allowHost !== hostname)
    throw new TypeError(
      `\`handler\` is on another host, ${hostname}. If it is a test instance, pass allowHost: '${hostname}'.`,
    )
  const { receiver, run, stop, ui } = await startProcess()

  /** Triggers an event; resolves with each event that the sandbox sent and its body, in order. */
  async function triggerEvent(event: SandboxEvent, words: readonly string[]) {
    const triggerWords = ['--json', ...environmentOf(event), ...words]
    const { deliveries } = JSON.parse(await run('trigger', event, ...triggerWords)) as TriggerResult
    return Promise.all(
      deliveries.map(async ({ event: sent, attempts }) => ({
        event: sent as SandboxEvent,
        body: await run('show', String(attempts[0]?.deliveryId), '--body'),
      })),
    )
  }

  try {
    for (const event of shownEventTypes)
      await run(
        ...['hooks', 'import', `--event=${event}`, `--url=${receiver}/h/${event}`],
        ...[`--secret=${options.secret}`, ...environmentOf(event)],
      )
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ui,
    async trigger(event, triggerOptions = {}) {
      checkArguments({ fault: oneOf(faults) }, triggerOptions, eventOptions)
      const { fault: faultName } = triggerOptions
      const fault = faultName === undefined ? [] : ['--fault', faultName]
      const deliveries: Delivery[] = []
      for (const sent of await triggerEvent(event, [...eventArguments(triggerOptions), ...fault]))
        deliveries.push(await send(options, sent.event, sent.body))
      return deliveries
    },
    async deliver(event, overrides = {}) {
      checkArguments({ tamper: oneOf(tamperings) }, overrides, [...eventOptions, 'body', 'headers'])
      const deliveries = await triggerEvent(event, eventArguments(overrides))
      const delivery = deliveries.find((sent) => sent.event === event)
      if (delivery === undefined)
        throw new Error(`The sandbox sent no ${event}. Use trigger() to see what it sends.`)
      return send(options, event, delivery.body, overrides)
    },
    run,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function fail(
  { event, tamper, status, response }: Delivery,
  expected: string,
  assertion: (delivery: Delivery) => void,
): never {
  const subject = tamper === null ? event : `${event} tampered with (${tamper})`
  const responseText = response.trim().slice(0, SHOWN_RESPONSE)
  const outcome = status === null ? 'did not respond' : `returned ${status}`
  throw new AssertionError({
    message: `Expected your handler to return ${expected} for ${subject}. It ${outcome}${responseText === '' ? '.' : `: ${responseText}`}`,
    actual: status,
    expected,
    operator: assertion.name,
    stackStartFn: assertion,
  })
}

/**
 * Asserts that your handler acknowledged a delivery: it returned 200 within 20 seconds (spec 6.4).
 *
 * @throws `AssertionError`; `TypeError` if it isn't one delivery.
 */
export function expectAccepted(delivery: Delivery): void {
  checkArguments(deliveryRules, { delivery })
  if (delivery.status === null || !acknowledges(delivery.status, '200'))
    fail(delivery, '200', expectAccepted)
}

/**
 * Asserts that your handler rejected a delivery with a 4xx status. A 5xx or no response is a
 * failure, not a rejection.
 *
 * @throws `AssertionError`; `TypeError` if it isn't one delivery.
 */
export function expectRejected(delivery: Delivery): void {
  checkArguments(deliveryRules, { delivery })
  const { status } = delivery
  if (status === null || status < 400 || status >= 500)
    fail(delivery, 'a 4xx status', expectRejected)
}
