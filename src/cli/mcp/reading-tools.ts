/** Tools that only read. */
import { z } from 'zod'
import { commands } from '../../shared/contract/contract.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SignatureTrial } from '../../shared/model/signature.ts'
import { hintOn } from '../../shared/query/hints.ts'
import { MASKED_BEYOND } from '../../shared/text/mask.ts'
import { readPasted, verifyInput } from '../../shared/pasted/pasted-request.ts'
import { fieldChangeWords } from '../../shared/drift/change-words.ts'
import { fieldChanges } from '../../shared/drift/field-changes.ts'
import { scanAround } from '../../shared/rpc/scan-fields.ts'
import { readStart } from '../options/start-time.ts'
import { headerLine, maskedStart } from '../delivery-body.ts'
import { lifecycleLines } from '../lifecycle-text.ts'
import { pick } from '../print.ts'
import { explainUndiagnosed, type VerifiedSubject } from '../signature-text.ts'
import { checkSearch } from './search-limits.ts'
import { facts, MOST_PAGES, nextCall, PAGE, type ToolResult } from './result.ts'
import { defineTool } from './tool.ts'

/** Bytes read beyond a page, because masks are shorter than secrets. */
const MASK_MARGIN = 65_536
export const RESPONSE_LENGTH = 2_048
const MOST_REQUESTS = 10
const pageField = z.number().int().min(1).max(MOST_PAGES).default(1)
const ofDelivery = commands['deliveries.get'].input.pick({ id: true })

/** Returns a delivery's facts, without text that its sender wrote. */
export function deliveryLine(delivery: Delivery): string {
  const { handler, verifiedHere } = delivery
  return facts({
    ...pick(delivery, 'id', 'receivedAt', 'event', 'verdict', 'freshness', 'cause', 'schema'),
    verifiedHere: verifiedHere ? null : false,
    hookDeleted: delivery.hookDeleted,
    handler: handler === null ? 'none' : `@${handler.name ?? ''}`,
    returned: handler?.status,
    outcome: handler?.outcome,
  })
}

/** Suggests the next tool: explain an invalid signature, else look at the handler. */
function nextOf({ id, verdict, handler }: Delivery): string {
  if (verdict !== 'valid') return nextCall('signature_explain', { id })
  if (handler?.name == null) return nextCall('handlers_list')
  if (handler.outcome !== 'failing') return nextCall('lifecycle_show', { id })
  return nextCall('handler_check', { target: `@${handler.name}` })
}

/** Causes whose sentences quote the signed URL or timestamp, which the sender chose. */
const QUOTING_CAUSE = /^(?:url|timestamp):/

/**
 * Explains why the signature is invalid or, with a computed one, what the user's code did wrong.
 */
function reasonOf({ report, computed }: SignatureTrial, verified: VerifiedSubject): ToolResult {
  const diagnosis = computed?.diagnosis ?? report.diagnosis
  if (diagnosis === null && computed === null && report.verdict === 'valid' && report.verifiedHere)
    return { outline: ['To explain a rejection, pass what your handler computed as "computed".'] }
  const { why, fix } =
    diagnosis === null && computed === null
      ? explainUndiagnosed(report, verified)
      : { why: (diagnosis ?? computed)?.message, fix: (diagnosis ?? computed)?.fix }
  const { causes = [] } = diagnosis ?? {}
  const sentences = [`why: ${why ?? ''}`, `fix: ${fix ?? ''}`]
  const quotes = causes.some((cause) => QUOTING_CAUSE.test(cause)) || report.unknownPrefix !== null
  return {
    outline: [
      ...causes.map((cause) => facts({ cause })),
      ...(quotes ? [] : sentences),
      ...causes.slice(0, 1).map((query) => nextCall('docs_search', { query })),
    ],
    captured: quotes ? sentences : [],
  }
}

/** Reference to a delivery, never a file (`@FILE`): captured text could ask to read one. */
const deliveryReference = z
  .string()
  .min(1)
  .regex(/^[^@]/, { error: "must be an ID: tools don't read files" })

export const readingTools = [
  defineTool({
    name: 'deliveries_list',
    description:
      'Start here. Lists captured webhook deliveries, newest first: ID, event, verdict of the signature, why it is invalid, and what your handler last returned.',
    input: commands['deliveries.list'].input
      .pick({ query: true })
      .extend({ limit: z.number().int().min(1).max(50).default(10) }),
    async run(input, { reading }) {
      checkSearch(input.query ?? '')
      const { client } = await reading()
      const { items } = await client.call('deliveries.list', input)
      const [first] = items
      if (first === undefined) {
        const hint = hintOn(input.query ?? '')
        return { outline: ['No deliveries match.', ...(hint === null ? [] : [hint])] }
      }
      const isBad = ({ handler, verdict }: Delivery) =>
        handler?.outcome === 'failing' || verdict !== 'valid'
      const { id } = items.find(isBad) ?? first
      return {
        outline: [...items.map(deliveryLine), nextCall('delivery_show', { id })],
        captured: items.map((item) =>
          [item.id, item.method, item.path, item.merchant, item.note].join('  ').trimEnd(),
        ),
        about: items.map((item) => item.id),
      }
    },
  }),

  defineTool({
    name: 'delivery_show',
    description:
      "Shows a delivery: verdict, event, schema errors, headers, body, and your handler's response.",
    input: ofDelivery.extend({ page: pageField }),
    async run(input, { reading }) {
      const { client } = await reading()
      const delivery = await client.call('deliveries.get', { id: input.id })
      const { id, handler, method, path, headers, truncated } = delivery
      const { failures } = await client.call('deliveries.schema', { id })
      const piece = { id, length: input.page * PAGE + MASK_MARGIN }
      const body = await client.call('bodies.decoded', piece)
      const bytes = Buffer.from(body.base64, 'base64')
      const isCut = body.size > bytes.length
      const most = isCut ? bytes.length - MASKED_BEYOND : bytes.length
      const text = await maskedStart(client, delivery, bytes, { most, mayEndInCharacter: isCut })
      const send = handler && (await client.call('replay.send', { id: handler.sendId }))
      return {
        outline: [
          deliveryLine(delivery),
          facts({
            ...pick(
              delivery,
              'hookId',
              'environment',
              'mode',
              'attempt',
              'duplicateOf',
              'bodySize',
            ),
            responded: delivery.answer.status,
            schemaErrors: failures.length,
          }),
          ...(truncated ? ['Only the start of the body is stored.'] : []),
          nextOf(delivery),
        ],
        captured: [
          ...failures.map(({ message, section }) => `Schema error: ${message} (spec ${section})`),
          ...(send === null
            ? []
            : [
                `Response of ${send.target}: ${send.status ?? send.error ?? 'none'}`,
                ...send.headers.map(headerLine),
                '',
                Buffer.from(send.base64, 'base64').toString().slice(0, RESPONSE_LENGTH),
                '',
              ]),
          `${method ?? 'unreadable'} ${path ?? ''}`,
          ...headers.map(headerLine),
          '',
          ...(body.problem === null ? [] : [body.problem]),
          text ?? '(not UTF-8 text)',
        ],
        about: [id],
        isCut,
      }
    },
  }),

  defineTool({
    name: 'signature_explain',
    description:
      'Explains why a signature is invalid, and the fix. With "computed", explains the signature that your own code computed for this delivery, and so the mistake in your code. Never shows the expected signature.',
    input: commands['deliveries.diagnose'].input.pick({ id: true, computed: true, url: true }),
    async run(input, { reading, signal }) {
      const { client } = await reading()
      const trial = await client.call('deliveries.diagnose', input, { signal })
      const { report, computed } = trial
      const { id } = await client.call('deliveries.get', { id: input.id })
      const reason = reasonOf(trial, { delivery: id })
      return {
        outline: [
          facts({
            id,
            ...pick(report, 'verdict', 'freshness', 'verifiedHere', 'hookId', 'hookEvent'),
            hookDeleted: report.hookDeleted || null,
            computed: computed?.outcome,
          }),
          ...reason.outline,
        ],
        captured: [
          ...(reason.captured ?? []),
          `signed URL: ${report.url ?? 'unknown'}`,
          `timestamp header: ${report.timestamp ?? 'none'}`,
          `received signature: ${report.received ?? 'none'}`,
        ],
        about: [id],
      }
    },
  }),

  defineTool({
    name: 'request_verify',
    description:
      'Verifies a request that the user copied from a log, mail, browser or export, with the known hooks, and explains an invalid signature. Stores nothing.',
    input: commands['exchange.verify'].input
      .pick({ url: true })
      .extend({ text: z.string().min(1).max(2_000_000) }),
    async run({ text, url }, { reading, signal }) {
      const pasted = readPasted(Buffer.from(text))
      if ('refused' in pasted)
        return { outline: ["The request can't be read."], captured: [pasted.refused] }
      const { requests, skipped } = pasted
      const { client } = await reading()
      const outline = skipped === 0 ? [] : [facts({ unsigned: skipped })]
      const captured: string[] = []
      for (const request of requests.slice(0, MOST_REQUESTS)) {
        const input = { ...verifyInput(request), ...(url === undefined ? {} : { url }) }
        const { report, event } = await client.call('exchange.verify', input, { signal })
        const reason = reasonOf({ report, computed: null }, 'request')
        const about = { ...pick(report, 'verdict', 'freshness', 'hookId'), event }
        outline.push(facts(about), ...(report.verdict === 'valid' ? [] : reason.outline))
        captured.push(`${request.method} ${request.path}`, ...(reason.captured ?? []))
        if (request.note !== null) captured.push(request.note)
        captured.push(`received signature: ${report.received ?? 'none'}`)
      }
      return { outline, captured }
    },
  }),

  defineTool({
    name: 'delivery_compare',
    description:
      'Shows the differences between the bodies, headers and signature inputs of two deliveries, or between the responses and requests of two replays.',
    input: z.object({ a: deliveryReference, b: deliveryReference.optional(), page: pageField }),
    async run({ a, b }, { reading, output, printed }) {
      const { client } = await reading()
      const { compare } = await import('../commands/compare.ts')
      const { isSame, deliveryIds } = await compare(output, client, [a, b], { all: false })
      return { outline: [facts({ same: isSame })], captured: printed, about: deliveryIds }
    },
  }),

  defineTool({
    name: 'lifecycle_show',
    description:
      'Shows the events of the purchase, card or location that a delivery belongs to, missing events, and issues such as duplicates or wrong amounts.',
    input: ofDelivery,
    async run(input, { reading, output }) {
      const { client } = await reading()
      const { id } = await client.call('deliveries.get', input)
      const lifecycle = await client.call('lifecycle.get', { deliveryId: id })
      const { kind, stages, missing, findings } = lifecycle
      return {
        outline: [
          facts({ kind, events: stages.length, missing: missing.length, issues: findings.length }),
          ...stages.map(({ event, isProved, deliveries: [first] }) =>
            facts({ event, verified: isProved, id: first?.id }),
          ),
          ...missing.map(({ event, isLate }) =>
            facts({ event, missing: isLate ? 'late' : 'pending' }),
          ),
          ...findings.map(({ level, code }) => facts({ [level]: code })),
        ],
        captured: lifecycleLines(output, lifecycle),
        about: [id],
      }
    },
  }),

  defineTool({
    name: 'fields_changed',
    description:
      'Compares the fields of payloads since a time with those of earlier ones: new, gone, of another type, more often null or absent, new values. Tells whether the service changed what it sends.',
    input: commands['deliveries.list'].input.pick({ query: true }).extend({
      since: z.string().min(1).max(100),
    }),
    async run({ query = '', since }, { reading, signal, progress, now }) {
      checkSearch(query)
      const { client } = await reading()
      const time = readStart(since, now())
      const profiles = await scanAround(client, {
        query,
        time,
        signal,
        progress: (done) => progress(`${done} read`),
      })
      const { changes, uncompared } = fieldChanges(profiles.before, profiles.since)
      return {
        outline: [
          facts({ changes: changes.length, uncomparedEvents: uncompared.length }),
          ...Array.from(
            Map.groupBy(changes, ({ change }) => change),
            ([change, { length }]) => facts({ change, fields: length }),
          ),
          ...changes
            .slice(0, 1)
            .map(({ example }) => nextCall('delivery_show', { id: example.id })),
        ],
        captured: changes.map(
          (change) => `${change.event} ${change.path}: ${fieldChangeWords(change)}`,
        ),
      }
    },
  }),

  defineTool({
    name: 'handlers_list',
    description:
      "Lists the user's saved handlers, which one is current, and their last check. Other tools accept them as @NAME.",
    input: commands['handlers.list'].input,
    async run(_, { reading }) {
      const { client } = await reading()
      const { handlers } = await client.call('handlers.list', {})
      const current = handlers.find((handler) => handler.current)
      return {
        outline: [
          ...handlers.map(({ name, lastCheck, ...handler }) =>
            facts({
              handler: `@${name}`,
              current: handler.current,
              canBeChecked: handler.hasSecret,
              checkPassed: lastCheck?.passed,
              checkFailed: lastCheck?.failed,
            }),
          ),
          current === undefined
            ? 'Ask the user to save one: countersign handlers add NAME --url URL --hook HOOK'
            : current.hasSecret
              ? nextCall('handler_check', { target: `@${current.name}` })
              : nextCall('delivery_replay', { to: `@${current.name}`, ids: ['latest'] }),
        ],
        captured: handlers.map(({ name, url, registeredUrl, hookId }) =>
          [`@${name}`, url, registeredUrl, hookId].join('  ').trimEnd(),
        ),
      }
    },
  }),

  defineTool({
    name: 'check_cases',
    description: 'Lists the cases of handler_check, and what your handler must do in each.',
    input: commands['check.start'].input.pick({ only: true }),
    async run({ only }) {
      const { selectCases } = await import('../../core/check/select-cases.ts')
      return {
        outline: selectCases(only, []).map(
          ({ group, name, severity, title, expected }) =>
            `${group}/${name} (${severity}): ${title}. ${expected}`,
        ),
      }
    },
  }),

  defineTool({
    name: 'docs_search',
    description:
      "Searches Countersign's documentation: signatures, the service's rules, errors, queries, commands. A cause such as passes:once finds its fix.",
    input: z.object({ query: z.string().trim().min(1).max(200) }),
    async run({ query }) {
      const { searchDocs } = await import('./docs-search.ts')
      const results = searchDocs(query)
      return { outline: results.length === 0 ? ['No pages match. Try other words.'] : results }
    },
  }),
]
