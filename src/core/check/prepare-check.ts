/**
 * Prepares a check: validates everything before the first request and returns the runner. Works with or without a store
 * (`countersign check` while Countersign isn't running).
 */
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { CheckResult, CheckSettings } from '../../shared/model/check.ts'
import { prefixSchema } from '../../shared/model/environment.ts'
import {
  isShownEventType,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { checkHeaders } from '../../shared/service/header-rules.ts'
import { withOrigin } from '../../shared/service/hook-finding.ts'
import type { Clock } from '../base/deps.ts'
import {
  readTarget,
  confirmLivePayloads,
  type Admission,
  type Consent,
  type HandlerSigner,
} from '../outgoing/admit.ts'
import { createPacer } from '../outgoing/send.ts'
import { secretKey } from '../signature/sign.ts'
import { createBench, type Bench, type CaseDefinition } from './bench.ts'
import { makePayloads } from './payloads.ts'
import { mostCauseRequests } from './first-cause.ts'
import { inapplicable, runCase, runCheck, type RunCheckDeps, sendCheck } from './run-check.ts'
import { selectCases } from './cases/all.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { WholeCheck } from '../store/runs-repo.ts'

/** Default requests per second: gentle on a laptop, done in seconds. */
export const DEFAULT_RATE = 10

interface CheckDeps {
  readonly clock: Clock
  readonly admit: Admission['admit']
}

export interface CheckInput extends Omit<
  CheckSettings,
  'headerNames' | 'registeredUrl' | 'events'
> {
  /** Null for the target itself. */
  readonly registeredUrl: string | null
  /** Empty for all events. */
  readonly events: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string
  readonly consent: Consent
}

export type PreparedCheck = Awaited<ReturnType<typeof prepareCheck>>

function readEvents(names: readonly string[]): readonly ShownEventType[] {
  return names.map((name) => {
    if (isShownEventType(name)) return name
    throw new AppError(
      'INVALID_INPUT',
      `The spec shows no payload for ${name}. Choose one of: ${shownEventTypes.join(', ')}.`,
    )
  })
}

/** Throws `INVALID_INPUT`, naming the broken rule of section 4.3. */
function checkCustomHeaders(headers: Readonly<Record<string, string>>, prefix: string): void {
  const [finding] = checkHeaders(headers, prefix)
  if (finding !== undefined) throw new AppError('INVALID_INPUT', withOrigin(finding))
}

/** Throws `INVALID_INPUT` if header names can't contain the prefix. */
function checkPrefix(prefix: string): void {
  const { error } = prefixSchema.safeParse(prefix)
  if (error !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `"${prefix}" can't be used in the header name x-<prefix>-signature. ${error.issues[0]?.message}.`,
    )
}

function countOf(cases: readonly CaseDefinition[], bench: Bench): number {
  return cases.reduce(
    (sum, one) => sum + one.requests(bench).length + (one.wanted === 'answer' ? 1 : 0),
    0,
  )
}

/** Anyone who allows a host must know how many requests it gets. */
function withCount(error: unknown, requests: number, rate: number): unknown {
  if (!(error instanceof AppError) || error.code !== 'TARGET_NOT_ALLOWED') return error
  return new AppError(
    error.code,
    `${error.message} The check sends up to ${counted(requests, 'request')} at ${rate} per second.`,
    {
      details: { ...(error.details as object), requests },
    },
  )
}

/** Rejects with `INVALID_INPUT`, `CONFIRMATION_REQUIRED` or `TARGET_NOT_ALLOWED` before anything is sent. */
export async function prepareCheck({ clock, admit }: CheckDeps, input: CheckInput) {
  const { secret, consent, headers, events, registeredUrl, ...rest } = input
  const target = readTarget(input.target)
  if (secret === '')
    throw new AppError('INVALID_INPUT', "The secret is empty. Enter the hook's secretKey.")
  checkPrefix(input.prefix)
  checkCustomHeaders(headers, input.prefix)
  const cases = selectCases(input.only, input.skip)
  const wanted = readEvents(events)
  confirmLivePayloads(wanted, input.live)
  const settings: CheckSettings = {
    ...rest,
    target: target.href,
    registeredUrl: registeredUrl ?? withScheme(input.target),
    events: [...(wanted.length === 0 ? shownEventTypes : wanted)],
    headerNames: Object.keys(headers),
  }
  const bench = createBench({
    payloads: await makePayloads({
      seed: input.seed,
      now: clock.now(),
      events: readEvents(settings.events),
    }),
    settings,
    key: secretKey(secret),
    customHeaders: headers,
    now: () => clock.now(),
  })
  const customHeaders = new Set(settings.headerNames.map((name) => name.toLowerCase()))

  const applicable = cases.filter((one) => inapplicable(one, settings) === null)
  const requests = countOf(applicable, bench) + mostCauseRequests(bench)
  const { createSender, otherHosts } = await admit(
    {
      targets: [input.target],
      targetCa: input.targetCa,
      registeredUrl,
      signers: { hookIds: [input.hookId], secrets: [secret] },
      what: 'checking with a live secret',
    },
    consent,
  ).catch((error: unknown) => {
    throw withCount(error, requests, settings.rate)
  })

  async function withSender<T>(
    signal: AbortSignal,
    onResult: RunCheckDeps['onResult'],
    work: (deps: RunCheckDeps) => Promise<T>,
  ): Promise<T> {
    // Every request has its own connection, so a dropped connection affects no other request.
    const sender = createSender({ keepAlive: false })
    const send: RunCheckDeps['send'] = (request) =>
      sendCheck({ clock, sender, target: settings.target, secret, customHeaders }, request, signal)
    try {
      return await work({ clock, bench, send, onResult })
    } finally {
      await sender.close()
    }
  }

  return {
    settings,
    cases,
    /** Maximum number of requests. */
    requests,
    /** The remote host that receives the requests; null for this computer. */
    otherHost: otherHosts[0] ?? null,
    /** Sends all cases. Resolves when they are done or the signal aborts. */
    run: (onResult: (result: CheckResult) => void, signal: AbortSignal) =>
      withSender(signal, onResult, (deps) => runCheck(cases, deps, signal)),
    /** Sends one case again. `first` is the result of the first case, if that responded. Null if cancelled. */
    async runOne(
      name: string,
      first: CheckResult | undefined,
      signal: AbortSignal,
    ): Promise<CheckResult | null> {
      const one = cases.find((each) => each.name === name)
      if (one === undefined) throw new AppError('NOT_FOUND', `This check has no case "${name}".`)
      const turn = createPacer(clock, settings.rate, signal)
      return withSender(
        signal,
        () => undefined,
        (deps) => runCase(one, first, deps, turn),
      )
    },
  }
}

export interface StartCheck extends Omit<
  CheckInput,
  'secret' | 'hookId' | 'ack' | 'rate' | 'seed' | 'live'
> {
  /** Whether payloads may be marked live, regardless of the secret. */
  readonly programStatus: boolean
  readonly secret?: string | undefined
  readonly hookId?: string | undefined
  readonly rate?: number | undefined
  readonly seed?: number | undefined
}

export type Given = Pick<CheckInput, 'secret' | 'headers'>

export interface CheckGivenDeps {
  readonly hooks: Pick<Hooks, 'get' | 'headersOf' | 'reveal'>
  readonly environments: Pick<Environments, 'get'>
  /** What the saved handler with this URL verifies with; null if the URL isn't saved. */
  signerAt(target: string): Promise<HandlerSigner | null>
  randomBytes(count: number): Uint8Array
}

/** What a check signs and sends with, entered or taken from a hook. */
export function createCheckGiven({ hooks, environments, signerAt, randomBytes }: CheckGivenDeps) {
  return {
    /** Rejects with `INVALID_INPUT`, `NOT_FOUND` or `SECRET_UNREADABLE`. */
    async inputOf({ hookId, secret, programStatus, ...input }: StartCheck): Promise<CheckInput> {
      const common = {
        ...input,
        live: input.consent.live === true || programStatus,
        rate: input.rate ?? DEFAULT_RATE,
        seed: input.seed ?? Buffer.from(randomBytes(6)).readUIntBE(0, 6),
      }
      if (hookId === undefined) {
        if (secret === undefined)
          throw new AppError(
            'INVALID_INPUT',
            "Enter the hook's secret, or choose a hook whose secret is stored here.",
          )
        return { ...common, secret, hookId: null, ack: '200' }
      }
      const hook = hooks.get(hookId)
      const environment = environments.get(hook.environment)
      return {
        ...common,
        secret: secret ?? (await hooks.reveal(hookId)),
        hookId,
        ack: environment.ack,
        registeredUrl: input.registeredUrl ?? hook.url,
        headers: { ...hooks.headersOf(hookId), ...input.headers },
        events:
          input.events.length > 0 || !isShownEventType(hook.event) ? input.events : [hook.event],
      }
    },
    /** The secret to retry an earlier check with: from this session, entered again, or the hook's. */
    async again(
      { settings: { target, hookId, headerNames } }: WholeCheck,
      known: Given | undefined,
      given: string | undefined,
    ): Promise<Given> {
      if (known !== undefined) return { ...known, secret: given ?? known.secret }
      const signer = given === undefined && hookId === null ? await signerAt(target) : null
      const secret = signer !== null && 'secret' in signer ? signer.secret : given
      if (hookId === null && (secret === undefined || headerNames.length > 0))
        throw new AppError(
          'INVALID_INPUT',
          "The secret of this check isn't stored. Run a new check with the secret.",
        )
      return hookId === null
        ? { secret: secret ?? '', headers: {} }
        : { secret: secret ?? (await hooks.reveal(hookId)), headers: hooks.headersOf(hookId) }
    },
  }
}
