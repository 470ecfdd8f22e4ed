/**
 * Hooks for runs. Each is a hook of the sandbox environment with its own receiver path, used by one run at a time. Between runs it
 * is marked as deleted, so earlier deliveries still verify and the next run can reuse it.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { type AnsweringRule, FLOW_HOOK, PLAIN_ANSWER, type Hook } from '../../shared/model/hook.ts'
import type { Flow, FlowHook } from '../../shared/model/flow.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { closeAll } from '../base/async.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { SandboxClock } from '../sandbox/clock.ts'
import type { FlowService } from './service.ts'

/** A hook of a run, by its name in the flow. */
export interface RunHook {
  readonly name: string
  readonly id: string
  readonly event: string
  /** The hook as registered. */
  readonly url: string
  readonly wanted: FlowHook | null
}

interface RunHooksDeps {
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  randomBytes(count: number): Uint8Array
  receiverUrl(): string | null
}

export type HookKeeper = ReturnType<typeof createHookKeeper>

type WantedRunHook = Pick<RunHook, 'name' | 'event' | 'wanted'>

/** Path prefix of all run hooks. */
const PATH = '/h/flow-'

/** Longer than the service waits for a response, in milliseconds (section 6.4). */
const HOLD_MS = 60_000

/** The hooks that a flow declares, plus one for every other expected event. */
export function wantedHooks({ hooks = [], steps }: Flow): WantedRunHook[] {
  const named = hooks.map((hook) => ({ name: hook.id, event: hook.event, wanted: hook }))
  const events = new Set(
    steps.flatMap((step) =>
      step.kind === 'delivery' && step.hook === undefined ? [step.event] : [],
    ),
  )
  const missing = [...events].filter((event) => !named.some((hook) => hook.event === event))
  return [...named, ...missing.map((event) => ({ name: event, event, wanted: null }))]
}

/** How the receiver responds to one delivery. */
type Turn = number | 'timeout' | 'drop'

/** The responses to the first deliveries of a hook; later ones get 200. */
export function turnsOf(wanted: FlowHook | null): readonly Turn[] {
  const { holdFirst = 0, inTurn } = wanted?.answers ?? {}
  return inTurn ?? Array.from({ length: holdFirst }, () => 'timeout' as const)
}

function ruleOf(turn: Turn | null): AnsweringRule {
  if (turn === null) return PLAIN_ANSWER
  if (turn === 'timeout') return { ...PLAIN_ANSWER, delayMs: HOLD_MS }
  return turn === 'drop' ? { ...PLAIN_ANSWER, drop: true } : { ...PLAIN_ANSWER, status: turn }
}

function answeringOf(wanted: FlowHook | null): AnsweringRule {
  const { failFirst = 0, failStatus = 500 } = wanted?.answers ?? {}
  return { ...ruleOf(turnsOf(wanted)[0] ?? null), failFirst, failStatus }
}

export function createHookKeeper(deps: RunHooksDeps) {
  const { hooks } = deps
  const inUse = new Set<string>()
  const newSecret = () => `whsec_${Buffer.from(deps.randomBytes(24)).toString('base64url')}`
  const modeOf = (environment: string) => (environment === 'sandbox-live' ? 'live' : 'test')

  async function register(
    { id, event, url, wanted }: RunHook,
    environment: string,
    service: FlowService,
  ) {
    await service.registerHook({
      id,
      event,
      url,
      secret: await hooks.reveal(id),
      mode: modeOf(environment),
      ...(wanted?.offerId === undefined ? {} : { offerId: wanted.offerId }),
      ...(wanted?.headers === undefined ? {} : { headers: wanted.headers }),
    })
  }

  /** An unused hook, or a new one. */
  async function obtain(
    event: string,
    offerId: string | null,
    environment: string,
    address: string,
  ): Promise<Hook> {
    const begin = `${address}${PATH}${environment}-${event.replaceAll('.', '-')}-`
    const there = hooks.list(environment).filter((hook) => hook.url.startsWith(begin))
    const free = there.find(
      ({ id, offerId: its, secretHint }) =>
        !inUse.has(id) && its === offerId && secretHint !== null,
    )
    if (free !== undefined) {
      inUse.add(free.id)
      try {
        return await hooks.change(free.id, { status: 'active' })
      } catch (error) {
        inUse.delete(free.id)
        throw error
      }
    }
    const made = await hooks.record({
      kind: hookKindOf(event),
      event,
      url: `${begin}${Buffer.from(deps.randomBytes(4)).toString('hex')}`,
      programId: null,
      offerId,
      headers: {},
      remoteId: FLOW_HOOK,
      environment,
      status: 'active',
      record: null,
      secret: newSecret(),
    })
    inUse.add(made.id)
    return made
  }

  /** Cleans up after a run that ended with its process. */
  async function clearAway(address: string): Promise<void> {
    const left = hooks
      .list()
      .filter(
        ({ id, url, status }) =>
          status === 'active' && !inUse.has(id) && url.startsWith(`${address}${PATH}`),
      )
    for (const { id } of left) await retire(id)
  }

  const retire = (id: string) =>
    hooks.change(id, { status: 'deleted', answering: JSON.stringify(PLAIN_ANSWER) })

  const release = (taken: readonly RunHook[]) =>
    closeAll(
      taken.map(({ id }) => async () => {
        inUse.delete(id)
        await retire(id)
      }),
    )

  return {
    /** Reserves hooks for a run and registers them with its service. Reserves none if this fails. */
    async take(
      wanted: readonly WantedRunHook[],
      environment: string,
      service: FlowService,
    ): Promise<RunHook[]> {
      const address = deps.receiverUrl()
      if (address === null)
        throw new AppError(
          'NOT_RUNNING',
          "The receiver isn't running, so flows can't deliver. Choose another receiver port and restart.",
        )
      await clearAway(address)
      const taken: RunHook[] = []
      try {
        for (const one of wanted) {
          const offerId = one.wanted?.offerId ?? null
          const { id, url } = await obtain(one.event, offerId, environment, address)
          const hook = { ...one, id, url }
          taken.push(hook)
          await hooks.setAnswering(id, answeringOf(one.wanted))
          await register(hook, environment, service)
        }
        return taken
      } catch (error) {
        await release(taken)
        throw error
      }
    },
    /** Rotates a hook's secret, here and at the service. */
    async rotate(hook: RunHook, environment: string, service: FlowService) {
      await hooks.rotate(hook.id, newSecret())
      await register(hook, environment, service)
    },
    /** From now on, deliveries of this hook get this response; null for 200. */
    answerNext: async ({ id }: RunHook, turn: Turn | null) => {
      await hooks.setAnswering(id, ruleOf(turn))
    },
    release,
  }
}

// The responses that a hook gives in turn.

export type Attempts = ReturnType<typeof createAttempts>

/** Per URL, the attempts of the service in progress that may time out, oldest first. */
export function createAttempts() {
  const attempts = new Map<string, AbortController[]>()
  return {
    /** For an attempt that begins now: ends its wait as if its time were over. */
    begin(url: string): AbortSignal {
      const attempt = new AbortController()
      attempts.set(url, [...(attempts.get(url) ?? []), attempt])
      return attempt.signal
    },
    /** The oldest attempt got its response or was dropped, so it can't time out. */
    end: (url: string) => attempts.get(url)?.shift(),
    timeOut: (url: string) => attempts.get(url)?.shift()?.abort(),
  }
}

interface Held {
  readonly url: string
  /** Arrival time by the run's clock. */
  readonly since: number
}

/**
 * Responses that a flow's hook gives in turn, and deliveries without one, so that the service gives up after 20 seconds (section
 * 6.4). These are sandbox time: at a finite speed the wait ends when the run's clock has reached them. As fast as possible nobody
 * waits: once the delivery has arrived, the run's clock jumps by the rest of its 20 seconds, and only then its attempt times out. No
 * other attempt is cut short, however busy the machine is. `over` ends all waits.
 */
export function createHeldAnswers(
  clock: Pick<SandboxClock, 'now' | 'jump' | 'sleepUntil'>,
  attempts: Attempts,
  answerNext: HookKeeper['answerNext'],
  over: AbortSignal,
) {
  const counts = new Map<string, number>()
  let held: readonly Held[] = []

  async function giveUp({ url, since }: Held): Promise<void> {
    await clock.jump(Math.max(0, since + ACKNOWLEDGE_TIMEOUT_MS - clock.now()))
    attempts.timeOut(url)
  }

  async function wait(one: Held): Promise<void> {
    held = [...held, one]
    await clock.sleepUntil(one.since + ACKNOWLEDGE_TIMEOUT_MS, over)
    // The run may have been sped up meanwhile.
    if (!held.includes(one)) return
    held = held.filter((other) => other !== one)
    attempts.timeOut(one.url)
  }

  return {
    /** A delivery arrived: holds it if the flow says so. `leaps` if the run goes as fast as possible. */
    async arrived(hook: RunHook, leaps: boolean) {
      const { id, url, wanted } = hook
      const turns = turnsOf(wanted)
      const count = counts.get(id) ?? 0
      counts.set(id, count + 1)
      if (count < turns.length) await answerNext(hook, turns[count + 1] ?? null)
      if (turns[count] !== 'timeout') {
        attempts.end(url)
        return
      }
      const one: Held = { url, since: clock.now() }
      if (leaps) await giveUp(one)
      else void wait(one)
    },
    /** From now on the run goes as fast as possible, so held deliveries jump too. */
    async leap() {
      const now = held
      held = []
      for (const one of now) await giveUp(one)
    },
  }
}
