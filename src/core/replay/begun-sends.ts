/**
 * The sends of a job, each written down as under way before it is given out. A few are written down ahead of need, so that no
 * request waits for a commit; those of them that have not gone when the job ends wait again.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { Clock } from '../deps.ts'
import type { WaitingSend } from '../store/waiting-sends.ts'
import { obstacle } from './obstacle.ts'
import type { Recorder } from './recorder.ts'
import type { SigningHook } from './signing-hooks.ts'

export interface BegunSendsDeps {
  readonly clock: Clock
  readonly recorder: Pick<Recorder, 'begin' | 'release'>
  readonly settings: Pick<ReplaySettings, 'tamper' | 'edits'>
  readonly prefixes: readonly string[]
  readonly hasOwnBody: boolean
  next(): Promise<WaitingSend | null>
  /** What a delivery is signed with; null where it belongs to no hook. Rejects with `SECRET_UNREADABLE`. */
  hookOf(delivery: { readonly hookId: string | null }): Promise<SigningHook | null>
  /** How many are to be written down ahead at this moment; half of them are written with one commit. */
  ahead(): number
}

export interface NextSend {
  readonly send: WaitingSend
  readonly hook: SigningHook | null
  /** Why it cannot be made; then it is not written down. */
  readonly problem: string | null
  /** Resolves once it is written down as under way. */
  begin(): Promise<void>
  /** It will not go now: it waits again. */
  release(): Promise<void>
}

export interface BegunSends {
  /** The next one; null where none is left. */
  take(): Promise<NextSend | null>
  /** One that was taken will not go. */
  giveBack(taken: NextSend): void
  /** Lets those that have not gone wait again. */
  close(): Promise<void>
}

export function createBegunSends(deps: BegunSendsDeps): BegunSends {
  const { clock, recorder, settings, prefixes, hasOwnBody } = deps
  const { tamper, edits } = settings
  const queue: NextSend[] = []
  let filling: Promise<void> | null = null
  let isClosed = false

  async function hookAndProblem(delivery: WaitingSend['delivery']): Promise<Pick<NextSend, 'hook' | 'problem'>> {
    try {
      const hook = delivery === null ? null : await deps.hookOf(delivery)
      return { hook, problem: obstacle(delivery, { hook, tamper, edits, prefixes, hasOwnBody }) }
    } catch (error) {
      if (error instanceof AppError) return { hook: null, problem: error.message }
      throw error
    }
  }

  async function prepare(): Promise<NextSend | null> {
    const send = await deps.next()
    if (send === null) return null
    const { hook, problem } = await hookAndProblem(send.delivery)
    const { seq } = send
    const registeredUrl = edits.signature === 'recompute' ? (hook?.url ?? null) : null
    let beginning: Promise<void> | null = null
    return {
      send,
      hook,
      problem,
      begin: () => (beginning ??= recorder.begin({ seq, at: clock.now(), registeredUrl })),
      async release() {
        if (beginning === null) return
        await beginning
        await recorder.release(seq)
      },
    }
  }

  async function fill(): Promise<void> {
    while (!isClosed && queue.length < deps.ahead()) {
      const next = await prepare()
      if (next === null) return
      queue.push(next)
      // Who takes it hears of a failure.
      if (next.problem === null) next.begin().catch(() => undefined)
    }
  }

  function fillBehind(): void {
    filling ??= fill()
      // What fails here fails for the next one that takes, too.
      .catch(() => undefined)
      .finally(() => {
        filling = null
      })
  }

  return {
    async take() {
      const taken = queue.shift() ?? (await prepare())
      if (taken !== null && queue.length < deps.ahead() / 2) fillBehind()
      return taken
    },
    giveBack(taken) {
      queue.push(taken)
    },
    async close() {
      isClosed = true
      await filling
      // Where that cannot be written, they are uncertain when the job is resumed.
      await Promise.allSettled(queue.map((left) => left.release()))
    },
  }
}
