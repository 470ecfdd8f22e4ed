/** What a check signs and sends with: given by hand, or brought along by a hook, live ones only once that is confirmed. */
import { AppError } from '../../shared/contract/errors.ts'
import { isShownEventType } from '../../shared/service/event-type.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { secretKey } from '../signature/sign.ts'
import type { WholeCheck } from '../store/check-runs-repo.ts'
import { DEFAULT_RATE, type CheckInput } from './prepare-check.ts'

export interface StartCheck extends Omit<CheckInput, 'secret' | 'hookId' | 'ack' | 'rate' | 'seed' | 'live'> {
  /** Confirms what is of a live environment. */
  readonly live: boolean
  /** Whether payloads may say that they are live, whatever the secret is of. */
  readonly programStatus: boolean
  readonly secret?: string | undefined
  readonly hookId?: string | undefined
  readonly rate?: number | undefined
  readonly seed?: number | undefined
}

export type Given = Pick<CheckInput, 'secret' | 'headers'>

export interface CheckGiven {
  /** Rejects with `INVALID_INPUT`, `NOT_FOUND`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`. */
  inputOf(start: StartCheck): Promise<CheckInput>
  /** What a check that was made before signs with: `known` from this session, one given anew, or that of its hook. */
  again(check: WholeCheck, known: Given | undefined, given: { secret: string | undefined; live: boolean }): Promise<Given>
}

export interface CheckGivenDeps {
  readonly hooks: Pick<Hooks, 'get' | 'list' | 'reveal' | 'secretsOf'>
  readonly environments: Pick<Environments, 'get'>
  randomBytes(count: number): Uint8Array
}

const WHAT = 'checking the handler of its hook'

export function createCheckGiven({ hooks, environments, randomBytes }: CheckGivenDeps): CheckGiven {
  /** A secret that is given by hand may be that of a live hook: then it is confirmed as where the hook is named. */
  const confirmSecret = (secret: string, live: boolean) => {
    const key = secretKey(secret)
    for (const { id, environment } of hooks.list())
      if (hooks.secretsOf(id).some((known) => known.key.equals(key))) confirmLive(environments.get(environment), live, WHAT)
  }
  return {
    async inputOf({ hookId, secret, live, programStatus, ...input }) {
      const common = {
        ...input,
        live: live || programStatus,
        rate: input.rate ?? DEFAULT_RATE,
        seed: input.seed ?? Buffer.from(randomBytes(6)).readUIntBE(0, 6),
      }
      if (secret !== undefined) confirmSecret(secret, live)
      if (hookId === undefined) {
        if (secret === undefined)
          throw new AppError('INVALID_INPUT', 'Give the secret of the hook, or choose a hook whose secret is known here.')
        return { ...common, secret, hookId: null, ack: '200' }
      }
      const hook = hooks.get(hookId)
      const environment = environments.get(hook.environment)
      confirmLive(environment, live, WHAT)
      return {
        ...common,
        secret: secret ?? (await hooks.reveal(hookId)),
        hookId,
        prefix: environment.prefix,
        ack: environment.ack,
        registeredUrl: input.registeredUrl ?? hook.url,
        headers: { ...hook.headers, ...input.headers },
        events: input.events.length > 0 || !isShownEventType(hook.event) ? input.events : [hook.event],
      }
    },
    async again({ settings: { hookId, headerNames } }, known, { secret, live }) {
      if (hookId !== null) confirmLive(environments.get(hooks.get(hookId).environment), live, WHAT)
      const typed = secret ?? (hookId === null ? known?.secret : undefined)
      if (typed !== undefined) confirmSecret(typed, live)
      if (known !== undefined) return { ...known, secret: secret ?? known.secret }
      if (hookId === null && (secret === undefined || headerNames.length > 0))
        throw new AppError(
          'INVALID_INPUT',
          'The secret of this check was given by hand and is not kept. Check anew, with the secret.',
        )
      return hookId === null
        ? { secret: secret ?? '', headers: {} }
        : { secret: secret ?? (await hooks.reveal(hookId)), headers: hooks.get(hookId).headers }
    },
  }
}
