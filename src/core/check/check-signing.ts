/** Finds the signers of a check: the entered secret, the hooks', or the saved handler's. */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { isShownEventType } from '../../shared/service/event-type.ts'
import { knownPrefixes, type Environments } from '../hooks/environments.ts'
import { signersOfHooks } from '../hooks/event-signers.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { HandlerSigner } from '../outgoing/signing-hooks.ts'
import type { WholeCheck } from '../store/check-runs.ts'
import type { CheckInput } from './prepare-check.ts'

/** Default requests per second. */
const DEFAULT_RATE = 10

export interface CheckSigningDeps {
  readonly hooks: Pick<Hooks, 'get' | 'headersOf' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly admission: Pick<Admission, 'liveEnvironments'>
  /** Resolves with the secret of the handler saved with this URL; null if there is none. */
  signerAt(target: string): Promise<HandlerSigner | null>
  randomBytes(count: number): Uint8Array
}

/** Input of a check with a URL as its target. */
export interface StartCheck extends Omit<ParsedInputOf<'check.start'>, keyof Consent | 'prefix'> {
  readonly prefix: string
  readonly consent: Consent
}

/**
 * Completes the input with the signers. Rejects with `INVALID_INPUT`, `NOT_FOUND` or
 * `SECRET_UNREADABLE`.
 */
export async function completeInput(
  { hooks, environments, admission, randomBytes }: CheckSigningDeps,
  { hookIds, secret, programStatus, headers, literals = {}, ...input }: StartCheck,
): Promise<CheckInput> {
  const secrets = secret === undefined ? [] : [secret]
  const liveSigners = admission.liveEnvironments({ hookIds, secrets })
  const common = {
    ...input,
    otherPrefixes: knownPrefixes(environments),
    hookIds,
    literals,
    live: programStatus || input.consent.live === true || liveSigners.length > 0,
    rate: input.rate ?? DEFAULT_RATE,
    seed: input.seed ?? Buffer.from(randomBytes(6)).readUIntBE(0, 6),
  }
  const [hookId] = hookIds
  if (hookId === undefined) {
    if (secret === undefined)
      throw new AppError(
        'INVALID_INPUT',
        "Enter the hook's secret, or choose a hook whose secret is stored here.",
      )
    return { ...common, signers: [{ event: null, secret, url: null, headers }], ack: '200' }
  }
  const signers = await signersOfHooks(hooks, hookIds, secret)
  const hookEvents = signers.flatMap(({ event }) => event ?? [])
  return {
    ...common,
    signers: signers.map((signer) => ({ ...signer, headers: { ...signer.headers, ...headers } })),
    ack: environments.get(hooks.get(hookId).environment).ack,
    events: input.events.length > 0 ? input.events : hookEvents.filter(isShownEventType),
  }
}

export type CheckSigning = Pick<CheckInput, 'signers' | 'registeredUrl'>

/**
 * Finds the signers to retry a case with: this session's, the entered secret, the hooks', or the
 * handler's. Rejects like `completeInput`.
 */
export async function signingForRetry(
  { hooks, signerAt }: CheckSigningDeps,
  { settings: { target, hookIds, headerNames, registeredUrl } }: WholeCheck,
  previous: CheckSigning | undefined,
  enteredSecret: string | undefined,
): Promise<CheckSigning> {
  if (previous !== undefined) {
    const signers = previous.signers.map((signer) => ({
      ...signer,
      secret: enteredSecret ?? signer.secret,
    }))
    return { ...previous, signers }
  }
  if (hookIds.length > 0) {
    const signers = await signersOfHooks(hooks, hookIds, enteredSecret)
    const isHookUrl = signers.some(({ url }) => url === registeredUrl)
    return { signers, registeredUrl: isHookUrl ? null : registeredUrl }
  }
  const signer = enteredSecret === undefined ? await signerAt(target) : null
  const secret = signer !== null && 'secret' in signer ? signer.secret : enteredSecret
  if (secret === undefined || headerNames.length > 0)
    throw new AppError(
      'INVALID_INPUT',
      "The secret of this check isn't stored. Run a new check with the secret.",
    )
  return { signers: [{ event: null, secret, url: null, headers: {} }], registeredUrl }
}
