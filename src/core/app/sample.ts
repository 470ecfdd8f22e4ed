/** "Send a sample": a valid delivery from the sandbox to this receiver, creating a hook for it if needed. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { RunningSandbox } from '../commands/services.ts'

const SAMPLE_EVENT = 'transaction.auth'

export interface SamplerDeps {
  readonly hooks: Hooks
  randomBytes(count: number): Uint8Array
  receiverUrl(): string | null
}

/** Creates the sender of samples. It rejects with `NOT_RUNNING` if the receiver isn't listening. */
export function createSampler(
  deps: SamplerDeps,
): (sandbox: RunningSandbox, signal: AbortSignal) => Promise<OutputOf<'sandbox.sample'>> {
  const { hooks } = deps

  async function hookFor(receiverUrl: string): Promise<{ hook: Hook; hookMade: boolean }> {
    const there = hooks
      .list(SANDBOX_TEST)
      .find(
        (hook) =>
          hook.event === SAMPLE_EVENT &&
          hook.status === 'active' &&
          hook.url.startsWith(`${receiverUrl}/`),
      )
    if (there !== undefined) return { hook: there, hookMade: false }
    const hook = await hooks.import({
      event: SAMPLE_EVENT,
      url: `${receiverUrl}/h/sample`,
      secret: `whsec_${Buffer.from(deps.randomBytes(24)).toString('base64url')}`,
      environment: SANDBOX_TEST,
      live: false,
    })
    return { hook, hookMade: true }
  }

  return async (sandbox, signal) => {
    const receiverUrl = deps.receiverUrl()
    if (receiverUrl === null) {
      throw new AppError(
        'NOT_RUNNING',
        "The receiver isn't listening, so a sample can't arrive. Choose another port for it, then start again.",
      )
    }
    const made = await hookFor(receiverUrl)
    return {
      ...made,
      result: await sandbox.trigger(
        { event: SAMPLE_EVENT, environment: SANDBOX_TEST, live: false },
        signal,
      ),
    }
  }
}
