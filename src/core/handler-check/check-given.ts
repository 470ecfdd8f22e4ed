/** What a check signs and sends with: given by hand, or brought along by a hook. */
import { AppError } from '../../shared/contract/errors.ts'
import { isShownEventType } from '../../shared/service/event-type.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { WholeCheck } from '../store/runs-repo.ts'
import { DEFAULT_RATE, type CheckInput } from './prepare-check.ts'

export interface StartCheck extends Omit<CheckInput, 'secret' | 'hookId' | 'ack' | 'rate' | 'seed' | 'live'> {
  /** Whether payloads may say that they are live, whatever the secret is of. */
  readonly programStatus: boolean
  readonly secret?: string | undefined
  readonly hookId?: string | undefined
  readonly rate?: number | undefined
  readonly seed?: number | undefined
}

export type Given = Pick<CheckInput, 'secret' | 'headers'>

export interface CheckGiven {
  /** Rejects with `INVALID_INPUT`, `NOT_FOUND` or `SECRET_UNREADABLE`. */
  inputOf(start: StartCheck): Promise<CheckInput>
  /** What a check that was made before signs with: `known` from this session, one given anew, or that of its hook. */
  again(check: WholeCheck, known: Given | undefined, secret: string | undefined): Promise<Given>
}

export interface CheckGivenDeps {
  readonly hooks: Pick<Hooks, 'get' | 'headersOf' | 'reveal'>
  readonly environments: Pick<Environments, 'get'>
  randomBytes(count: number): Uint8Array
}

export function createCheckGiven({ hooks, environments, randomBytes }: CheckGivenDeps): CheckGiven {
  return {
    async inputOf({ hookId, secret, programStatus, ...input }) {
      const common = {
        ...input,
        live: input.consent.live === true || programStatus,
        rate: input.rate ?? DEFAULT_RATE,
        seed: input.seed ?? Buffer.from(randomBytes(6)).readUIntBE(0, 6),
      }
      if (hookId === undefined) {
        if (secret === undefined)
          throw new AppError('INVALID_INPUT', 'Give the secret of the hook, or choose a hook whose secret is known here.')
        return { ...common, secret, hookId: null, ack: '200' }
      }
      const hook = hooks.get(hookId)
      const environment = environments.get(hook.environment)
      return {
        ...common,
        secret: secret ?? (await hooks.reveal(hookId)),
        hookId,
        prefix: environment.prefix,
        ack: environment.ack,
        registeredUrl: input.registeredUrl ?? hook.url,
        headers: { ...hooks.headersOf(hookId), ...input.headers },
        events: input.events.length > 0 || !isShownEventType(hook.event) ? input.events : [hook.event],
      }
    },
    async again({ settings: { hookId, headerNames } }, known, secret) {
      if (known !== undefined) return { ...known, secret: secret ?? known.secret }
      if (hookId === null && (secret === undefined || headerNames.length > 0))
        throw new AppError(
          'INVALID_INPUT',
          'The secret of this check was given by hand and is not kept. Check anew, with the secret.',
        )
      return hookId === null
        ? { secret: secret ?? '', headers: {} }
        : { secret: secret ?? (await hooks.reveal(hookId)), headers: hooks.headersOf(hookId) }
    },
  }
}
