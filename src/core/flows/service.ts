/**
 * The service of a run: its own sandbox with its own objects, hooks and clock. A run doesn't advance the clock that a person works
 * with or meet that person's objects, and concurrent runs don't affect each other.
 *
 * The time of a run is this clock: real time, faster, or as fast as possible, which stops while anything is in progress and then
 * jumps to the next event. With a real account it is the wall clock.
 */
import type { Mode } from '../../shared/model/delivery.ts'
import { sandboxEnvironment } from '../../shared/model/environment.ts'
import type { FlowSpeed } from '../../shared/model/flow.ts'
import type { SandboxObject } from '../../shared/model/sandbox.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { TlsIdentity } from '../receiver/identity.ts'
import { memoryStorage, type SandboxStorage } from '../sandbox/records.ts'
import type { CreateObjectInput, UpdateObjectInput } from '../sandbox/sandbox.ts'

export interface FlowServiceDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly identity: Pick<TlsIdentity, 'certificate' | 'caPem'>
  readonly environments: Pick<Environments, 'get'>
}

export interface FlowServiceOptions {
  /** Asked before each attempt at a URL for a signal that ends its wait as if its 20 seconds were over. */
  timeOutOf(url: string): AbortSignal
  /** Called when anything in the service changes. */
  onChanged(): void
}

export type StartFlowService = ReturnType<typeof createFlowServices>

/** What a run asks of the service. */
export type FlowService = Awaited<ReturnType<StartFlowService>>

function watched(storage: SandboxStorage, onChanged: () => void): SandboxStorage {
  return {
    load: () => storage.load(),
    async put(record) {
      await storage.put(record)
      onChanged()
    },
    async delete(kind, id) {
      await storage.delete(kind, id)
      onChanged()
    },
  }
}

export function createFlowServices(deps: FlowServiceDeps) {
  const account = (mode: Mode) => {
    const drawn = Buffer.from(deps.randomBytes(18)).toString('base64url')
    return {
      environment: sandboxEnvironment(mode),
      mode,
      publicKey: `pk_${mode}_${drawn.slice(0, 8)}`,
      secretKey: `sk_${mode}_${drawn}`,
    }
  }
  return async ({ timeOutOf, onChanged }: FlowServiceOptions) => {
    // Loaded with its server once a run starts: commands that only list flows start faster without it.
    const { createSandbox } = await import('../sandbox/sandbox.ts')
    const sandbox = await createSandbox({
      clock: deps.clock,
      ids: deps.ids,
      log: deps.log,
      randomBytes: (count) => deps.randomBytes(count),
      tls: { certificate: () => deps.identity.certificate(), caPem: deps.identity.caPem },
      host: '127.0.0.1',
      port: 0,
      prefixOf: (mode) => deps.environments.get(sandboxEnvironment(mode)).prefix,
      accounts: [account('test'), account('live')],
      storage: watched(memoryStorage(), onChanged),
      timeOutOf,
    })
    const { clock, objects } = sandbox
    /** When each pending notification continues; null while it is in progress. */
    const pending = () =>
      sandbox
        .notifications()
        .filter(({ state }) => state === 'pending')
        .map(({ nextAt }) => (nextAt === null ? null : Date.parse(nextAt)))
    const clearings = () => sandbox.clearings().map(({ at }) => Date.parse(at))
    return {
      registerHook: sandbox.registerHook,
      trigger: sandbox.trigger,
      make: async (input: CreateObjectInput): Promise<SandboxObject> =>
        (await objects.create(input)).object,
      change: async (input: UpdateObjectInput): Promise<SandboxObject> =>
        (await objects.update(input)).object,
      clock,
      notifications: sandbox.notifications,
      /** When the next clearing or retry is due, by the service's clock in milliseconds; null if nothing is pending. */
      nextDue() {
        const due = [...clearings(), ...pending().filter((at) => at !== null)].filter(
          (at) => at > clock.now(),
        )
        return due.length === 0 ? null : Math.min(...due)
      },
      /** Whether a request is in progress. */
      isBusy: () =>
        clearings().some((at) => at <= clock.now()) ||
        pending().some((at) => at === null || at <= clock.now()),
      close: sandbox.close,
    }
  }
}

// Time.

export interface RunTime {
  /** Sandbox time in milliseconds since the epoch. */
  now(): number
  /** Waits until something has changed since `seen`, or the deadline is reached and nothing is in progress. */
  next(deadline: number, seen: number, signal: AbortSignal): Promise<'changed' | 'deadline'>
  setSpeed(speed: FlowSpeed): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
}

/** Lets everything triggered by the last event happen first. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Resolves with the first of several waits, and ends the others. */
async function untilFirst(
  signal: AbortSignal,
  waits: (either: AbortSignal) => Promise<void>[],
): Promise<void> {
  const over = new AbortController()
  await Promise.race(waits(AbortSignal.any([signal, over.signal])))
  over.abort()
}

export function createSandboxTime(
  service: Pick<FlowService, 'clock' | 'nextDue' | 'isBusy'>,
  changes: Changes,
): RunTime {
  const { clock } = service
  let speed: FlowSpeed = 'max'
  let isPaused = false

  async function leap(
    deadline: number,
    seen: number,
    signal: AbortSignal,
  ): Promise<'changed' | 'deadline'> {
    await settle()
    if (changes.count() !== seen) return 'changed'
    if (isPaused || service.isBusy()) {
      await changes.after(seen, signal)
      return 'changed'
    }
    if (clock.now() >= deadline) return 'deadline'
    const due = service.nextDue()
    await clock.set(Math.min(due ?? deadline, deadline))
    return 'changed'
  }

  return {
    now: () => clock.now(),
    async next(deadline, seen, signal) {
      if (speed === 'max') return leap(deadline, seen, signal)
      if (clock.now() >= deadline && !service.isBusy())
        return changes.count() === seen ? 'deadline' : 'changed'
      await untilFirst(signal, (either) => [
        changes.after(seen, either),
        ...(clock.now() >= deadline ? [] : [clock.sleepUntil(deadline, either)]),
      ])
      return 'changed'
    },
    async setSpeed(next) {
      speed = next
      if (next === 'max') await clock.pause()
      else {
        await clock.setSpeed(next)
        await clock.resume()
      }
    },
    pause() {
      isPaused = true
      return clock.pause()
    },
    async resume() {
      isPaused = false
      changes.note()
      if (speed !== 'max') await clock.resume()
    },
  }
}

/** Time with a real account, which can't be sped up or stopped. */
export function createAccountTime(wall: Clock, changes: Changes): RunTime {
  return {
    now: () => wall.now(),
    async next(deadline, seen, signal) {
      if (wall.now() >= deadline) return changes.count() === seen ? 'deadline' : 'changed'
      await untilFirst(signal, (either) => [
        changes.after(seen, either),
        wall.sleep(deadline - wall.now(), either),
      ])
      return 'changed'
    },
    setSpeed: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    resume: () => Promise.resolve(),
  }
}

/** Counts changes, so that a waiter misses nothing between looking and waiting. */
export type Changes = ReturnType<typeof createChanges>

export function createChanges() {
  let count = 0
  let waiting = Promise.withResolvers<undefined>()
  return {
    /** Changes so far. */
    count: () => count,
    note() {
      count++
      waiting.resolve(undefined)
      waiting = Promise.withResolvers<undefined>()
    },
    /** Resolves once the count exceeds `seen`, or the signal aborts. */
    async after(seen: number, signal: AbortSignal) {
      if (count > seen || signal.aborted) return
      const aborted = Promise.withResolvers<undefined>()
      const onAbort = () => aborted.resolve(undefined)
      signal.addEventListener('abort', onAbort, { once: true })
      await Promise.race([waiting.promise, aborted.promise])
      signal.removeEventListener('abort', onAbort)
    },
  }
}

interface RunGateDeps {
  readonly time: Pick<RunTime, 'pause' | 'resume'>
  readonly changes: Changes
  /** The run's signal; aborts when it is cancelled. */
  readonly signal: AbortSignal
  /** Whether to pause before the first step. */
  readonly paused: boolean
  /** Called when the run pauses or continues. */
  onChanged(): void
}

/** Pauses, steps and continues a run. The run waits here before each step. */
export function createRunGate({ time, changes, signal, paused, onChanged }: RunGateDeps) {
  /** How many steps may run before the next pause. */
  let allowed = paused ? 0 : Number.POSITIVE_INFINITY
  let isPaused = false
  return {
    isPaused: () => isPaused,
    /** Resolves once the next step may run or the run is cancelled. */
    async pass() {
      while (allowed === 0 && !signal.aborted) {
        const seen = changes.count()
        if (!isPaused) {
          isPaused = true
          await time.pause()
          onChanged()
        }
        await changes.after(seen, signal)
      }
      if (isPaused) {
        isPaused = false
        await time.resume()
      }
      allowed--
    },
    /** Allows one more step. */
    step() {
      allowed = Math.max(1, allowed)
      changes.note()
    },
    async pause() {
      allowed = 0
      await time.pause()
      isPaused = true
      onChanged()
    },
    async resume() {
      allowed = Number.POSITIVE_INFINITY
      if (isPaused) await time.resume()
      isPaused = false
      changes.note()
      onChanged()
    },
    /** The run ended, so it is no longer paused. */
    end() {
      isPaused = false
    },
  }
}
