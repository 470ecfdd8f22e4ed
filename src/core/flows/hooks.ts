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
import type { FlowService } from './service.ts'

/** Hook of a run, named by the flow. */
export interface RunHook {
  readonly name: string
  readonly id: string
  readonly event: string
  readonly url: string
  readonly wanted: FlowHook | null
}

interface RunHooksDeps {
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  randomBytes(count: number): Uint8Array
  receiverUrl(): string | null
}

type WantedRunHook = Pick<RunHook, 'name' | 'event' | 'wanted'>

/** Path prefix of all run hooks. */
const RUN_HOOK_PATH = '/h/flow-'

/** Delay of a held response in milliseconds, longer than the service waits (section 6.4). */
const HOLD_MS = 60_000

/** Returns the declared hooks, plus one for every other expected event. */
export function requiredHooks({ hooks = [], steps }: Flow): WantedRunHook[] {
  const declared = hooks.map((hook) => ({ name: hook.id, event: hook.event, wanted: hook }))
  const events = new Set(
    steps.flatMap((step) =>
      step.kind === 'delivery' && step.hook === undefined ? [step.event] : [],
    ),
  )
  const undeclared = [...events].filter((event) => !declared.some((hook) => hook.event === event))
  return [...declared, ...undeclared.map((event) => ({ name: event, event, wanted: null }))]
}

/**
 * Receiver's response to one delivery: a status, `timeout` for none in time, or `drop` to close the
 * connection.
 */
type PlannedResponse = number | 'timeout' | 'drop'

/** Returns the responses to the first deliveries of a hook; later ones get 200. */
export function responsesInTurn(wanted: FlowHook | null): readonly PlannedResponse[] {
  const { holdFirst = 0, inTurn } = wanted?.answers ?? {}
  return inTurn ?? Array.from({ length: holdFirst }, () => 'timeout' as const)
}

function ruleOf(response: PlannedResponse | null): AnsweringRule {
  if (response === null) return DEFAULT_ANSWERING
  if (response === 'timeout') return { ...DEFAULT_ANSWERING, delayMs: HOLD_MS }
  return response === 'drop'
    ? { ...DEFAULT_ANSWERING, drop: true }
    : { ...DEFAULT_ANSWERING, status: response }
}

function firstRuleOf(wanted: FlowHook | null): AnsweringRule {
  const { failFirst = 0, failStatus = 500 } = wanted?.answers ?? {}
  return { ...ruleOf(responsesInTurn(wanted)[0] ?? null), failFirst, failStatus }
}

export class RunHooks {
  readonly #deps: RunHooksDeps
  readonly #inUse = new Set<string>()

  constructor(deps: RunHooksDeps) {
    this.#deps = deps
  }

  /** Reserves hooks for a run and registers them with its service: all, or none if one fails. */
  async take(
    wanted: readonly WantedRunHook[],
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
    const taken: RunHook[] = []
    try {
      for (const request of wanted) {
        const offerId = request.wanted?.offerId ?? null
        const { id, url } = await this.#obtain(request.event, offerId, environment, address)
        const hook = { ...request, id, url }
        taken.push(hook)
        await this.#deps.hooks.setAnswering(id, firstRuleOf(request.wanted))
        await this.#register(hook, environment, service)
      }
      return taken
    } catch (error) {
      await this.release(taken)
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

  release(taken: readonly RunHook[]) {
    return closeAll(
      taken.map(({ id }) => async () => {
        this.#inUse.delete(id)
        await this.#retire(id)
      }),
    )
  }

  #newSecret() {
    return `whsec_${Buffer.from(this.#deps.randomBytes(24)).toString('base64url')}`
  }

  #modeOf(environment: string) {
    return environment === 'sandbox-live' ? 'live' : 'test'
  }

  async #register({ id, event, url, wanted }: RunHook, environment: string, service: FlowService) {
    await service.registerHook({
      id,
      event,
      url,
      secret: await this.#deps.hooks.reveal(id),
      mode: this.#modeOf(environment),
      ...(wanted?.offerId === undefined ? {} : { offerId: wanted.offerId }),
      ...(wanted?.headers === undefined ? {} : { headers: wanted.headers }),
    })
  }

  /** Finds an unused hook, or creates one. */
  async #obtain(
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
      url: `${urlPrefix}${Buffer.from(this.#deps.randomBytes(4)).toString('hex')}`,
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
