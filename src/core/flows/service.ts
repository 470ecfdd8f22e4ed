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
import { whenAborted } from '../base/async.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { TlsIdentity } from '../receiver/identity.ts'
import { memoryStorage } from '../sandbox/records.ts'
import type { CreateObjectInput, UpdateObjectInput } from '../sandbox/sandbox.ts'

interface FlowServiceDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly identity: Pick<TlsIdentity, 'certificate' | 'caPem'>
  readonly environments: Pick<Environments, 'get'>
  readonly admission: Admission
}

export type StartFlowService = ReturnType<typeof createFlowServices>

export type FlowService = Awaited<ReturnType<StartFlowService>>

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
  /**
   * `timeOutOf` returns a signal that ends the wait of the next attempt at a URL as if its 20 seconds were over. The service calls
   * `onChanged` when anything in it changes.
   */
  return async (timeOutOf: (url: string) => AbortSignal, onChanged: () => void) => {
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
      storage: memoryStorage(),
      admission: deps.admission,
      onChanged,
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

export type RunTime = ReturnType<typeof createRunTime>

/** Lets everything triggered by the last event happen first. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

interface RunTimeDeps {
  readonly wall: Clock
  /** Null with a real account, whose time is the wall clock and can't be sped up or stopped. */
  readonly service: Pick<FlowService, 'clock' | 'nextDue' | 'isBusy'> | null
  readonly changes: Changes
}

export function createRunTime({ wall, service, changes }: RunTimeDeps) {
  let speed: FlowSpeed = 'max'
  let isPaused = false
  const now = () => (service?.clock ?? wall).now()
  const isBusy = () => changes.isExpected() || service?.isBusy() === true

  async function leap(
    { clock, nextDue }: Pick<FlowService, 'clock' | 'nextDue'>,
    deadline: number,
    seen: number,
    signal: AbortSignal,
  ): Promise<'changed' | 'deadline'> {
    await settle()
    if (changes.count() !== seen) return 'changed'
    if (isPaused || isBusy()) {
      await changes.after(seen, signal)
      return 'changed'
    }
    if (now() >= deadline) return 'deadline'
    await clock.set(Math.min(nextDue() ?? deadline, deadline))
    return 'changed'
  }

  return {
    /** Sandbox time in milliseconds since the epoch. */
    now,
    /** Waits until something has changed since `seen`, or the deadline is reached and nothing is in progress. */
    async next(
      deadline: number,
      seen: number,
      signal: AbortSignal,
    ): Promise<'changed' | 'deadline'> {
      if (service !== null && speed === 'max') return leap(service, deadline, seen, signal)
      const left = deadline - now()
      if (left <= 0 && (service === null || !isBusy()))
        return changes.count() === seen ? 'deadline' : 'changed'
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      await Promise.race([
        changes.after(seen, either),
        ...(left <= 0
          ? []
          : [service?.clock.sleepUntil(deadline, either) ?? wall.sleep(left, either)]),
      ])
      over.abort()
      return 'changed'
    },
    /** While the run is paused, its clock stays stopped. */
    async setSpeed(next: FlowSpeed) {
      speed = next
      if (next !== 'max') await service?.clock.setSpeed(next)
      await (next === 'max' || isPaused ? service?.clock.pause() : service?.clock.resume())
    },
    isPaused: () => isPaused,
    async pause() {
      isPaused = true
      await service?.clock.pause()
    },
    async resume() {
      isPaused = false
      changes.note()
      if (speed !== 'max') await service?.clock.resume()
    },
  }
}

/** Counts changes, so that a waiter misses nothing between looking and waiting. */
export type Changes = ReturnType<typeof createChanges>

export function createChanges() {
  let count = 0
  let next = new AbortController()
  let expected = 0
  function note(): void {
    count++
    const before = next
    next = new AbortController()
    before.abort()
  }
  return {
    count: () => count,
    note,
    /** Whether work is in progress that ends with a change: a run's clock doesn't jump meanwhile. */
    isExpected: () => expected > 0,
    async expect(work: Promise<void>) {
      expected++
      await work
      expected--
      note()
    },
    /** Resolves once the count exceeds `seen`, or the signal aborts. */
    async after(seen: number, signal: AbortSignal) {
      if (count <= seen) await whenAborted(AbortSignal.any([signal, next.signal]))
    },
  }
}
