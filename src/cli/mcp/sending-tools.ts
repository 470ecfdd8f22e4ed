/** Tools that need `--allow-sends`: they send requests, or wait for deliveries. */
import { z } from 'zod'
import { commands } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { CheckRun } from '../../shared/model/check.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { isFailedStep, outcomeOfRun, stepCounts } from '../../shared/model/flow-outcomes.ts'
import { timestampModeSchema, type ListedSend, type Replay } from '../../shared/model/send.ts'
import { neededWords } from '../../shared/model/shrink.ts'
import { followCheck } from '../check-run.ts'
import { followDeliveries, fetchNewestSeq } from '../delivery-feed.ts'
import { followReplay } from '../replay-progress.ts'
import type { Session } from '../session.ts'
import { createStepPrinter, printEnd } from '../flow-text.ts'
import { UsageError } from '../context.ts'
import { pick } from '../print.ts'
import { compareRuns } from './compare-runs.ts'
import { facts, nextCall } from './result.ts'
import { checkSearch } from './search-limits.ts'
import { deliveryLine, RESPONSE_LENGTH } from './reading-tools.ts'
import { defineTool } from './tool.ts'

/** Deliveries per replay: an agent needs few, and each may be processed. */
const MOST_REPLAYED = 20
const CASES_SHOWN = 12

/** Characters of a body to send, far above the service's payloads. */
const MOST_BODY_CHARACTERS = 262_144

/** Follows a replay to its end, and reads its responses. */
async function readResponses(
  session: Session,
  replay: Replay,
  progress: (message: string) => void,
) {
  const sends: ListedSend[] = []
  const { id, state } = await followReplay(session, replay, (newSends) => {
    sends.push(...newSends)
    progress(`${sends.length} of ${replay.total} sent`)
  })
  const responses = await Promise.all(
    sends.map((send) => session.client.call('replay.send', { id: send.id })),
  )
  const captured = responses.flatMap(({ deliveryId, target, error, base64 }) => [
    `Response of ${target} to ${deliveryId}: ${error ?? 'complete'}`,
    Buffer.from(base64, 'base64').toString().slice(0, RESPONSE_LENGTH),
  ])
  return { sends, id, state, captured }
}

export const sendingTools = [
  defineTool({
    name: 'event_trigger',
    description:
      'Triggers an event in the sandbox, which sends it to its hooks. Needs Countersign running.',
    input: commands['sandbox.trigger'].input.pick({
      event: true,
      environment: true,
      literals: true,
      fault: true,
    }),
    async run(input, { running, start }) {
      const session = await running('Triggering an event')
      const result = await start(session, 'sandbox.trigger', input)
      const sent = result.deliveries.map(({ attempts, ...one }) => ({ ...one, ...attempts.at(-1) }))
      const id = sent.find(({ deliveryId }) => deliveryId != null)?.deliveryId
      return {
        outline: [
          facts({
            ...pick(result, 'event', 'environment'),
            findings: result.findings.length || null,
          }),
          ...sent.map(({ state, status, deliveryId }) => facts({ state, status, deliveryId })),
          ...(id == null ? [] : [nextCall('delivery_show', { id })]),
        ],
        captured: [
          ...Object.entries(result.objects).map((object) => object.join(': ')),
          ...sent.map(({ url, reason, error }) => `${url}: ${reason ?? error ?? 'responded'}`),
          ...result.findings.map((finding) => `Finding: ${finding}`),
        ],
      }
    },
  }),

  defineTool({
    name: 'delivery_replay',
    description:
      'Sends captured deliveries to your handler again, re-signed, and shows its responses. With "against" it shows whether a change broke anything: it groups the responses that differ from the previous ones, or from another handler. Your handler processes them.',
    reachesHandler: true,
    input: commands['replay.start'].input
      .pick({ to: true, tamper: true, against: true, ignore: true })
      .extend({
        ids: z.array(z.string().min(1)).min(1).max(MOST_REPLAYED).optional(),
        query: z.string().max(4_000).optional(),
        timestamp: timestampModeSchema.default('now'),
      }),
    async run({ timestamp, query, ...given }, call) {
      const { sending, start, progress } = call
      const { against, ignore: _, ids, ...input } = { ...given, ids: given.ids ?? [] }
      if (against !== null) return compareRuns({ ...given, against, query, timestamp }, call)
      if (ids.length === 0 || query !== undefined)
        throw new UsageError('Pass "ids", or with "against" also a "query".')
      const session = await sending()
      const edits = { timestamp }
      const request = { ...input, ids, edits, most: MOST_REPLAYED }
      const { replay } = await start(session, 'replay.start', request)
      const { sends, id, state, captured } = await readResponses(session, replay, progress)
      const refused = sends.find(({ status }) => status !== null && status >= 300)?.deliveryId
      const computed = '<signature that your handler computed>'
      return {
        outline: [
          facts({ replay: id, state }),
          ...sends.map((send) =>
            facts({
              ...pick(send, 'deliveryId', 'event', 'status', 'errorKind'),
              // A handler may rightly reject an old timestamp.
              outcome: timestamp === 'now' ? (send.outcome ?? send.state) : null,
            }),
          ),
          ...(refused === undefined || input.tamper !== null
            ? []
            : timestamp === 'now'
              ? [nextCall('delivery_replay', { ids: [refused], timestamp: 'original' })]
              : [nextCall('signature_explain', { id: refused, computed })]),
        ],
        captured,
        about: sends.map(({ deliveryId }) => deliveryId),
      }
    },
  }),

  defineTool({
    name: 'request_send',
    description:
      'Sends any body to your handler, byte for byte, signed like the service, and shows the response. Your handler processes it. With a name, delivery_replay sends it again as name:NAME.',
    reachesHandler: true,
    input: commands['replay.compose'].input
      .pick({ to: true, event: true, hookId: true, tamper: true, name: true })
      .extend({ body: z.string().max(MOST_BODY_CHARACTERS) }),
    async run({ body, ...input }, { sending, start, progress }) {
      const session = await sending()
      const base64 = Buffer.from(body).toString('base64')
      const { id, replay } = await start(session, 'replay.compose', { ...input, base64 })
      const { sends, captured } = await readResponses(session, replay, progress)
      return {
        outline: [
          ...sends.map((send) =>
            facts({
              ...pick(send, 'deliveryId', 'event', 'status', 'errorKind'),
              outcome: send.outcome ?? send.state,
            }),
          ),
          nextCall('delivery_replay', { ids: [input.name === null ? id : `name:${input.name}`] }),
        ],
        captured,
        about: [id],
      }
    },
  }),

  defineTool({
    name: 'handler_check',
    description:
      'Sends valid, forged, old, duplicate and unusual deliveries to your handler and names the mistakes in it. Use a test instance: valid events are processed.',
    reachesHandler: true,
    input: commands['check.start'].input.pick({
      target: true,
      hookIds: true,
      only: true,
      rate: true,
    }),
    async run(input, { sending, start, progress }) {
      const session = await sending()
      const { run: started } = await start(session, 'check.start', input)
      progress(`started, up to ${started.requests} requests`)
      let endedCount = 0
      const run = await followCheck(session, started.id, ({ name }) =>
        progress(`${++endedCount} of ${started.total}: ${name}`),
      )
      return { outline: checkOutline(run, input.target), captured: checkDetails(run) }
    },
  }),

  defineTool({
    name: 'flow_run',
    description:
      'Runs a built-in scenario, such as a purchase with a refund, in an isolated sandbox and checks each delivery; with a handler, its responses too.',
    reachesHandler: true,
    input: commands['flows.start'].input
      .pick({ literals: true })
      .extend({ name: z.string().min(1), handler: z.string().min(1).optional() }),
    async run({ handler, ...input }, { receiving, start, output, printed, progress }) {
      const session = await receiving()
      const { run: started } = await start(session, 'flows.start', {
        ...input,
        handler: handler === undefined ? null : { url: handler },
      })
      const { followFlow } = await import('../commands/flow.ts')
      const print = createStepPrinter(output)
      const run = await followFlow(session, started.id, (step) => {
        print(step)
        progress(`step ${step.index + 1} of ${started.steps.length}`)
      })
      printEnd(output, run)
      const id = run.steps.find(isFailedStep)?.deliveryId
      return {
        outline: [
          `${facts({ flow: run.flow, run: run.id })}, ${outcomeOfRun(run).word}`,
          facts(stepCounts(run)),
          ...(id == null ? [] : [nextCall('delivery_show', { id })]),
        ],
        captured: printed,
      }
    },
  }),

  defineTool({
    name: 'body_shrink',
    description:
      'Finds the smallest body that your handler still fails on, by sending smaller and smaller ones, re-signed.',
    reachesHandler: true,
    input: commands['shrink.start'].input.pick({ id: true, to: true, maxSends: true }),
    async run(input, { sending, start, progress }) {
      const session = await sending()
      const { run: started } = await start(session, 'shrink.start', input)
      const { followShrink } = await import('../commands/shrink.ts')
      const { run, removed, fields, base64 } = await followShrink(session, started, progress)
      return {
        outline: [
          facts(pick(run, 'deliveryId', 'outcome', 'sends')),
          facts({ ...pick(run, 'originalSize', 'size'), removed, status: run.failure?.status }),
        ],
        captured: [
          run.message ?? '',
          ...fields.map(({ path, value, needed }) =>
            [neededWords(run.outcome, needed), path, value].join('  '),
          ),
          Buffer.from(base64, 'base64').toString(),
        ],
        about: [run.deliveryId],
      }
    },
  }),

  defineTool({
    name: 'delivery_wait',
    description: 'Waits for new deliveries and lists them. Needs Countersign running.',
    input: z.object({
      query: z.string().max(4_000).default(''),
      count: z.number().int().min(1).max(50).default(1),
      timeout: z.number().positive().max(600).default(30),
    }),
    async run({ query, count, timeout }, { running, progress, ...call }) {
      checkSearch(query)
      const session = await running('Waiting for deliveries')
      const after = await fetchNewestSeq(session.client)
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(timeout * 1_000)])
      const arrived: Delivery[] = []
      progress('waiting')
      const search = { query, after, signal, identified: true, verified: true } as const
      await followDeliveries(session, search, (deliveries) => {
        arrived.push(...deliveries.slice(0, count - arrived.length))
        progress(`${arrived.length} of ${count} arrived`)
        return arrived.length === count
      })
      if (call.signal.aborted) throw new AppError('CANCELLED', 'Wait cancelled.')
      const [first] = arrived
      return {
        outline: [
          facts({ arrived: arrived.length, of: count }),
          ...arrived.map(deliveryLine),
          ...(first === undefined ? [] : [nextCall('delivery_show', { id: first.id })]),
        ],
      }
    },
  }),
]

/** Causes whose fix quotes the handler, so it goes to `captured`. */
const QUOTING: readonly string[] = ['unreachable', 'unreadable', 'not-acknowledged']

/** Returns conclusions, then failed cases, then the next call. */
function checkOutline(run: CheckRun, target: string): string[] {
  const conclusions = run.conclusions.filter(({ cause }) => cause !== 'refuses-all')
  const isPuzzling = conclusions.length < run.conclusions.length
  const mistakes = run.results.flatMap(({ findings = [] }) => findings.map(({ cause }) => cause))
  const [query] = [...mistakes, ...conclusions.flatMap(({ cases }) => cases)]
  return [
    facts(pick(run, 'id', 'state', 'passed', 'failed', 'skipped', 'score')),
    ...conclusions.flatMap(({ cause, message, fix }) => [
      facts({ cause }),
      `why: ${message}`,
      ...(QUOTING.includes(cause) ? [] : [`fix: ${fix}`]),
    ]),
    ...mistakes.map((mistake) => facts({ mistake })),
    ...run.explained.causes
      .filter(({ cause }) => cause !== 'refuses-all')
      .map(({ cause, title, deliveries, cases, flows }) =>
        facts({
          explainedBy: cause,
          status: /^Returns (\d+)/.exec(title)?.[1],
          deliveries: deliveries.length || null,
          checks: cases.length || null,
          flows: flows.length || null,
        }),
      ),
    ...[run.explained.unexplained]
      .filter(({ cases, flows }) => cases.length + flows.length > 0)
      .map(
        ({ cases, flows }) =>
          `unexplained: ${facts({ checks: cases.length, flows: flows.length })}`,
      ),
    ...run.results
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ name, severity }) => facts({ failed: name, severity })),
    ...(isPuzzling
      ? [
          'Your handler rejects valid deliveries, and no single known mistake explains why.',
          nextCall('delivery_replay', { ids: ['latest'], to: target, timestamp: 'original' }),
        ]
      : query === undefined
        ? []
        : [nextCall('docs_search', { query })]),
  ]
}

function checkDetails({ results, conclusions, explained, problem }: CheckRun): string[] {
  return [
    problem ?? '',
    ...explained.causes
      .filter(({ cause }) => cause === 'response')
      .map(({ title, message, fix }) => `${title}. ${message} ${fix}`),
    ...conclusions.filter(({ cause }) => QUOTING.includes(cause)).map(({ fix }) => fix),
    ...results
      .filter(({ outcome }) => outcome === 'fail')
      .slice(0, CASES_SHOWN)
      .map(
        ({ name, message, exchanges, decisive }) =>
          `${name}: ${message} ${exchanges[decisive ?? 0]?.got.body ?? ''}`,
      ),
  ]
}
