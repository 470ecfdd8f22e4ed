/** Runs a flow step by step. A run can be stepped, paused, sped up and cancelled at any time. */
import { literalMembers } from '../../shared/body/json-literals.ts'
import { failureReason } from '../../shared/flow-diagram/failure-reason.ts'
import { summarizeRun } from '../../shared/flow-diagram/run-summary.ts'
import type {
  FlowRun,
  FlowRunStep,
  FlowSpeed,
  UnexpectedDelivery,
} from '../../shared/model/flow-run.ts'
import { isFailedStep } from '../../shared/model/flow-outcomes.ts'
import { failureSentence } from '../base/async.ts'
import { HeldResponses } from './held-responses.ts'
import { doesSomething, runStep } from './run-step.ts'
import type { RunContext, RunOptions } from './run-context.ts'
import { StepRecords, isoTime, runSummaryOf } from './step-records.ts'
import { unexpectedAmong, unexpectedDeliveryOf } from './unexpected-deliveries.ts'
import { RunGate } from './run-gate.ts'
import { RunInbox } from './run-inbox.ts'

interface RunFlowOptions extends RunOptions {
  readonly speed: FlowSpeed
  /** Index of the first step at which the run pauses. */
  readonly from: number
  readonly paused: boolean
}

/** Time to wait for the receiver's last responses at the end of a run, in milliseconds. */
const RESPONSE_PATIENCE_MS = 1_000

export class RunningFlow {
  /** Flow and run of all deliveries to the hooks; null with a real account, which has others. */
  readonly flowRun: { readonly flow: string; readonly run: string } | null
  readonly gate: RunGate
  readonly inbox: RunInbox
  readonly #options: RunFlowOptions
  readonly #context: RunContext
  readonly #records: StepRecords
  readonly #heldResponses: HeldResponses | null
  readonly #startedAt: number
  readonly #businessStartedAt: number
  readonly #cancelled = new AbortController()
  /** Aborted at the run's end. */
  readonly #over = new AbortController()
  #speed: FlowSpeed
  #current = 0
  #endedAt: number | null = null
  #unexpected: readonly UnexpectedDelivery[] = []
  #cancelReason: string | null = null

  constructor(options: RunFlowOptions) {
    const { flow, service, attempts, runHooks } = options
    this.#options = options
    this.#speed = options.speed
    this.#startedAt = options.clock.now()
    this.#businessStartedAt = options.time.now()
    this.#context = this.#createContext()
    this.#records = new StepRecords(this.#context)
    this.gate = new RunGate(this.#context, { isClosed: options.paused || options.from > 0 })
    this.#heldResponses =
      service === null
        ? null
        : new HeldResponses({
            clock: service.clock,
            attempts,
            answerNext: runHooks.answerNext,
            over: this.#over.signal,
          })
    this.inbox = new RunInbox(this.#context, async (hook) =>
      this.#heldResponses?.noteArrival(hook, { leaps: this.#isLeaping() }),
    )
    this.flowRun = service === null ? null : { flow: flow.name, run: options.id }
  }

  async run(): Promise<FlowRun> {
    const { log, clock } = this.#options
    this.#options.onChanged()
    try {
      await this.#walk()
    } catch (error) {
      this.#context.problem = failureSentence(error, log, 'a flow')
    }
    await this.inbox.settled()
    this.#over.abort()
    this.#endedAt = clock.now()
    this.#records.end()
    return this.state()
  }

  async setSpeed(speed: FlowSpeed) {
    const { from, time, changes } = this.#options
    this.#speed = speed
    // Steps before the chosen one keep running as fast as possible.
    if (this.#current >= from) await time.setSpeed(speed)
    if (speed === 'max') await this.#heldResponses?.leap()
    changes.note()
    this.#options.onChanged()
  }

  cancel(reason = 'Cancelled.') {
    this.#cancelReason = reason
    this.#cancelled.abort()
    this.#options.changes.note()
  }

  state(): FlowRun {
    const { id, origin, flow, environment, service, handler, literals, clock, time } = this.#options
    const steps = this.#records.all()
    // Fields have the order of the schema, as in stored runs.
    const run: FlowRun = {
      id,
      flow: flow.name,
      origin,
      title: flow.title,
      environment: environment.name,
      mode: environment.mode,
      target: service === null ? 'account' : 'sandbox',
      speed: this.#speed,
      handler: handler?.url ?? null,
      handlerName: handler?.name ?? null,
      set: literals,
      startedAt: isoTime(this.#startedAt),
      endedAt: this.#endedAt === null ? null : isoTime(this.#endedAt),
      ...this.#outcome(steps),
      summary: '',
      happened: '',
      reason: '',
      current: this.#current,
      businessStartedAt: isoTime(this.#businessStartedAt),
      clock: { at: isoTime(clock.now()), businessAt: isoTime(time.now()) },
      ask: this.#records.ask(),
      steps,
      strays: [...this.#unexpected],
    }
    const isOver = this.#endedAt !== null
    const problem = (isOver ? this.#cancelReason : null) ?? this.#context.problem
    const summary = problem ?? runSummaryOf(run)
    return {
      ...run,
      summary,
      happened: isOver ? (problem ?? summarizeRun(run)) : '',
      reason: run.outcome === 'fail' ? failureReason({ ...run, summary }) : '',
    }
  }

  #outcome(steps: readonly FlowRunStep[]): Pick<FlowRun, 'state' | 'outcome'> {
    if (this.#endedAt === null)
      return { state: this.#options.time.isPaused() ? 'paused' : 'running', outcome: null }
    if (this.#cancelReason !== null) return { state: 'cancelled', outcome: null }
    const hasPassed =
      this.#context.problem === null && this.#unexpected.length === 0 && !steps.some(isFailedStep)
    return { state: 'done', outcome: hasPassed ? 'pass' : 'fail' }
  }

  #createContext(): RunContext {
    const { flow, id, source, store, log } = this.#options
    return {
      ...this.#options,
      arrivals: [],
      remembered: new Map(),
      named: new Map(),
      literalsOfFile: literalMembers(source),
      signal: this.#cancelled.signal,
      lastInOrder: null,
      hasAccepted: false,
      fault: null,
      triggeredAt: this.#businessStartedAt,
      problem: null,
      assign: (arrival, index) => {
        arrival.expectedBy = index
        const step = this.#records.all().find((record) => record.index === index)?.name ?? null
        const rows = [{ seq: arrival.row.seq, step }]
        store
          .write('flowDeliveries', { flow: flow.name, run: id, rows })
          .catch((error: unknown) => log.bug(error, "storing a run's delivery"))
      },
    }
  }

  /** Whether time jumps; steps before the chosen one always run as fast as possible. */
  #isLeaping(): boolean {
    return this.#speed === 'max' || this.#current < this.#options.from
  }

  async #walk(): Promise<void> {
    const { flow, from, time, changes } = this.#options
    const { signal } = this.#context
    if (from > 0) await time.setSpeed('max')
    for (const [index, step] of flow.steps.entries()) {
      if (index === from) await time.setSpeed(this.#speed)
      this.#current = index
      if (index >= from && doesSomething(step, this.#context)) await this.gate.pass()
      if (signal.aborted) return
      await this.#records.during(index, () => runStep(index, this.#context))
    }
    this.#current = flow.steps.length
    // Deliveries still in flight belong to the run.
    while ((await time.next(time.now(), changes.count(), signal)) !== 'deadline')
      if (signal.aborted) return
    await Promise.allSettled(
      this.#context.arrivals.flatMap(({ handlerResponse }) => handlerResponse ?? []),
    )
    await this.#awaitResponses()
    const arrivals = unexpectedAmong(this.#context)
    for (const arrival of arrivals) this.#context.assign(arrival, null)
    this.#unexpected = arrivals.map(unexpectedDeliveryOf)
  }

  /** Waits a moment for responses that the service has and the receiver hasn't reported yet. */
  async #awaitResponses(): Promise<void> {
    const { clock, changes } = this.#options
    const timeout = new AbortController()
    const stop = AbortSignal.any([this.#cancelled.signal, timeout.signal])
    const patience = clock.sleep(RESPONSE_PATIENCE_MS, stop).then(() => timeout.abort())
    for (let seen = changes.count(); !stop.aborted; seen = changes.count()) {
      if (this.#context.arrivals.every(({ receiverResponse }) => receiverResponse !== null)) break
      await changes.after(seen, stop)
    }
    timeout.abort()
    await patience
  }
}
