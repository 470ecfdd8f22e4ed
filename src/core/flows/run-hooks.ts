/**
 * Registers the hooks of runs, each used by one run at a time. Between runs they are marked
 * deleted; their secrets stay, so earlier deliveries still verify.
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  type AnsweringRule,
  FLOW_HOOK,
  DEFAULT_ANSWERING,
  type Hook,
} from '../../shared/model/hook.ts'
import type { Flow, FlowHook } from '../../shared/model/flow.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { closeAll } from '../base/async.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { FlowService } from './flow-service.ts'

/** Hook of a run, named by the flow. */
export interface RunHook {
  readonly name: string
  readonly id: string
  readonly event: string
  readonly url: string
  /** Declaration in the flow; null for a hook that its steps imply. */
  readonly declared: FlowHook | null
}

interface RunHooksDeps {
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  randomBytes(count: number): Uint8Array
  receiverUrl(): string | null
}

type RequiredHook = Pick<RunHook, 'name' | 'event' | 'declared'>

/** Path prefix of all run hooks, as in `/h/flow-sandbox-test-card-linked-1f2e3d4c`. */
const RUN_HOOK_PATH = '/h/flow-'

const SECRET_BYTES = 24
/** Random bytes at the end of a hook's URL. */
const URL_BYTES = 4
/** Delay of a held response in milliseconds, longer than the service waits (section 6.4). */
const HOLD_MS = 60_000

/** Returns the declared hooks, plus one for every other expected event. */
export function requiredHooks({ hooks = [], steps }: Flow): RequiredHook[] {
  const declaredHooks = hooks.map((hook) => ({ name: hook.id, event: hook.event, declared: hook }))
  const events = new Set(
    steps.flatMap((step) =>
      step.kind === 'delivery' && step.hook === undefined ? [step.event] : [],
    ),
  )
  const undeclared = [...events].filter(
    (event) => !declaredHooks.some((hook) => hook.event === event),
  )
  return [...declaredHooks, ...undeclared.map((event) => ({ name: event, event, declared: null }))]
}

/**
 * Receiver's response to one delivery: a status, `timeout` for none in time, or `drop` to close the
 * connection.
 */
type PlannedResponse = number | 'timeout' | 'drop'

/** Returns the responses to the first deliveries of a hook; later ones get 200. */
export function responsesInTurn(declared: FlowHook | null): readonly PlannedResponse[] {
  const { holdFirst = 0, inTurn } = declared?.answers ?? {}
  return inTurn ?? Array.from({ length: holdFirst }, () => 'timeout' as const)
}

function ruleOf(response: PlannedResponse | null): AnsweringRule {
  if (response === null) return DEFAULT_ANSWERING
  if (response === 'timeout') return { ...DEFAULT_ANSWERING, delayMs: HOLD_MS }
  return response === 'drop'
    ? { ...DEFAULT_ANSWERING, drop: true }
    : { ...DEFAULT_ANSWERING, status: response }
}

function firstRuleOf(declared: FlowHook | null): AnsweringRule {
  const { failFirst = 0, failStatus = 500 } = declared?.answers ?? {}
  return { ...ruleOf(responsesInTurn(declared)[0] ?? null), failFirst, failStatus }
}

export class RunHooks {
  readonly #deps: RunHooksDeps
  readonly #inUse = new Set<string>()

  constructor(deps: RunHooksDeps) {
    this.#deps = deps
  }

  /** Reserves hooks for a run and registers them with its service: all, or none if one fails. */
  async reserve(
    required: readonly RequiredHook[],
    environment: string,
    service: FlowService,
  ): Promise<RunHook[]> {
    const address = this.#deps.receiverUrl()
    if (address === null)
      throw new AppError(
        'NOT_RUNNING',
        "The receiver isn't running, so flows can't deliver. Choose another receiver port and restart.",
      )
    await this.#retireAbandoned(address)
    const reserved: RunHook[] = []
    try {
      for (const request of required) {
        const offerId = request.declared?.offerId ?? null
        const { id, url } = await this.#findOrCreate(request.event, offerId, environment, address)
        const hook = { ...request, id, url }
        reserved.push(hook)
        await this.#deps.hooks.setAnswering(id, firstRuleOf(request.declared))
        await this.#register(hook, environment, service)
      }
      return reserved
    } catch (error) {
      await this.release(reserved)
      throw error
    }
  }

  /** Rotates a hook's secret, here and at the service. */
  async rotate(hook: RunHook, environment: string, service: FlowService) {
    await this.#deps.hooks.rotate(hook.id, this.#newSecret())
    await this.#register(hook, environment, service)
  }

  /** Sets the next response of a hook; null for 200. */
  readonly answerNext = async ({ id }: RunHook, response: PlannedResponse | null) => {
    await this.#deps.hooks.setAnswering(id, ruleOf(response))
  }

  release(reserved: readonly RunHook[]) {
    return closeAll(
      reserved.map(({ id }) => async () => {
        this.#inUse.delete(id)
        await this.#retire(id)
      }),
    )
  }

  #newSecret() {
    return `whsec_${Buffer.from(this.#deps.randomBytes(SECRET_BYTES)).toString('base64url')}`
  }

  #modeOf(environment: string) {
    return environment === 'sandbox-live' ? 'live' : 'test'
  }

  async #register(
    { id, event, url, declared }: RunHook,
    environment: string,
    service: FlowService,
  ) {
    await service.registerHook({
      id,
      event,
      url,
      secret: await this.#deps.hooks.reveal(id),
      mode: this.#modeOf(environment),
      ...(declared?.offerId === undefined ? {} : { offerId: declared.offerId }),
      ...(declared?.headers === undefined ? {} : { headers: declared.headers }),
    })
  }

  async #findOrCreate(
    event: string,
    offerId: string | null,
    environment: string,
    address: string,
  ): Promise<Hook> {
    const { hooks } = this.#deps
    const urlPrefix = `${address}${RUN_HOOK_PATH}${environment}-${event.replaceAll('.', '-')}-`
    const existing = hooks.list(environment).filter((hook) => hook.url.startsWith(urlPrefix))
    const unused = existing.find(
      ({ id, offerId: hookOfferId, secretHint }) =>
        !this.#inUse.has(id) && hookOfferId === offerId && secretHint !== null,
    )
    if (unused !== undefined) {
      this.#inUse.add(unused.id)
      try {
        return await hooks.change(unused.id, { status: 'active' })
      } catch (error) {
        this.#inUse.delete(unused.id)
        throw error
      }
    }
    const created = await hooks.record({
      kind: hookKindOf(event),
      event,
      url: `${urlPrefix}${Buffer.from(this.#deps.randomBytes(URL_BYTES)).toString('hex')}`,
      programId: null,
      offerId,
      headers: {},
      remoteId: FLOW_HOOK,
      environment,
      status: 'active',
      record: null,
      secret: this.#newSecret(),
    })
    this.#inUse.add(created.id)
    return created
  }

  /** Retires the hooks of runs that ended with their process. */
  async #retireAbandoned(address: string): Promise<void> {
    const abandoned = this.#deps.hooks
      .list()
      .filter(
        ({ id, url, status }) =>
          status === 'active' &&
          !this.#inUse.has(id) &&
          url.startsWith(`${address}${RUN_HOOK_PATH}`),
      )
    for (const { id } of abandoned) await this.#retire(id)
  }

  #retire(id: string) {
    return this.#deps.hooks.change(id, {
      status: 'deleted',
      answering: JSON.stringify(DEFAULT_ANSWERING),
    })
  }
}
