/** `countersign show`: shows everything about a delivery, or writes its exact body. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  withKeptData,
} from '../context.ts'
import { counted, byteSize, listed } from '../../shared/text/counted.ts'
import { printableText, readableHeader } from '../../shared/text/printable.ts'
import { contentEncodings, utf8Text } from '../../shared/body/encoding.ts'
import {
  isResponsePending,
  senderOf,
  type Delivery,
  type DeliveryFlow,
  type SchemaReport,
} from '../../shared/model/delivery.ts'
import { labelOf, lookOfHandler, responseWords } from '../../shared/model/outcomes.ts'
import type { SignatureReport } from '../../shared/model/signature.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { readDeliveryRef } from '../arguments.ts'
import {
  bodyPieces,
  createMaskTexts,
  maskingUnless,
  maskText,
  type MaskTexts,
} from '../delivery-body.ts'
import { deliveryJson, signatureJson } from '../delivery-json.ts'
import { attemptCell, localTimeText, verdictCell } from '../delivery-table.ts'
import { lifecycleLines } from '../lifecycle-text.ts'
import { createColumns, type Output } from '../output.ts'
import { signatureLines } from '../signature-text.ts'
import type { Attempt } from '../../shared/model/lifecycle.ts'

interface ShowOptions extends DataOption {
  readonly body?: true
  readonly decoded?: true
  readonly lifecycle?: true
  readonly attempts?: true
  readonly includeSecrets?: true
}

/** Bytes of a body to show; `--body` writes all of it. */
const SHOWN_BODY = 65_536
/** Reads further, so that a secret at the end of the shown part is found whole. */
const MASKED_BEYOND = 16_384

/** The body as lines of text, or a sentence if it isn't text. */
async function bodyLines(client: Client, delivery: Delivery, mask: MaskTexts): Promise<string[]> {
  if (delivery.bodySize === 0) return ['(no body)']
  const isEncoded = contentEncodings(delivery.headers).length > 0
  const piece = { id: delivery.id, length: SHOWN_BODY + MASKED_BEYOND }
  const { base64, size, how, write } = isEncoded
    ? await decodedHead(client, piece)
    : { ...(await client.call('deliveries.body', piece)), how: [], write: '--body' }
  const text = utf8Text(Buffer.from(base64, 'base64'), isEncoded || size > SHOWN_BODY)
  if (text === null) return [...how, `(not UTF-8 text: write the bytes with ${write})`]
  const masked = await maskText(mask, text)
  const shown = size > SHOWN_BODY ? masked.slice(0, SHOWN_BODY) : masked
  const lines = [...how, ...shown.split(/\r?\n/).map(printableText)]
  return size > SHOWN_BODY
    ? [
        ...lines,
        `(first ${byteSize(SHOWN_BODY)} of ${byteSize(size)}: write the full body with ${write})`,
      ]
    : lines
}

/** The start of the decoded body and notes about the decoding. */
async function decodedHead(
  client: Client,
  piece: { readonly id: string; readonly length: number },
) {
  const { base64, size, encodings, receivedSize, problem } = await client.call(
    'bodies.decoded',
    piece,
  )
  const how =
    encodings.length === 0
      ? []
      : [`(decoded from ${encodings.join(', ')}, received as ${byteSize(receivedSize)})`]
  return {
    base64,
    size,
    how: problem === null ? how : [...how, `(${problem})`],
    write: '--body --decoded',
  }
}

function keptWords({ truncated, bodyLost }: Delivery): string {
  if (bodyLost) return ', body lost to database damage'
  return truncated ? ', only the start stored' : ''
}

const receiptClaims: Readonly<Record<Delivery['origin'], string>> = {
  received: '',
  imported: ', according to the file',
  reported: ', as reported',
  shared: ', as shared',
}

function eventSourceText({ eventSource, verifiedHere }: Delivery): string {
  if (eventSource !== 'hook') return 'inferred from payload'
  return verifiedHere ? 'identified by hook' : 'from the imported file'
}

/** `Returned 500 in 22 ms at 2026-11-21 10:30:00.123 from @local: your handler didn't acknowledge a valid delivery`. */
function handlerText({ handler, ...delivery }: Delivery): string {
  if (handler === null) return 'not recorded'
  const { name, target, status, ms, at } = handler
  const { word, why } = lookOfHandler({ ...delivery, handler })
  const from = name === null ? target : `@${name} (${target})`
  const returned = status === null ? labelOf({ word }) : responseWords(status, ms)
  return `${returned}${at === null ? '' : ` at ${localTimeText(at)}`} from ${from}: ${why}`
}

/** What we returned: status, headers and body. */
function responseLines(delivery: Delivery): string[] {
  const { response } = delivery
  if (response === null) return [isResponsePending(delivery) ? 'No response yet' : 'Not recorded']
  const { status, headers, body, truncated } = response
  if (status === null) return ['The connection was closed without a response.']
  const bytes = Buffer.from(body, 'base64')
  const text = utf8Text(bytes, truncated)
  const shown =
    bytes.length === 0
      ? ['(no body)']
      : (text?.split(/\r?\n/).map(printableText) ?? ['(not UTF-8 text: see --json)'])
  return [
    String(status),
    ...headers.map(([name, value]) => printableText(`${name}: ${readableHeader(value)}`)),
    '',
    ...shown,
    ...(truncated ? [`(first ${byteSize(bytes.length)})`] : []),
  ]
}

function amountText({ amount, currency }: Delivery): string {
  return [amount ?? '', currency ?? ''].join(' ').trim()
}

function flowText({ flow, run, step }: DeliveryFlow): string {
  return `${flow}${step === null ? '' : `, step ${step}`} (run ${run})`
}

function overviewRows(
  delivery: Delivery,
  { hookInferred }: SignatureReport,
): (readonly [string, string | null])[] {
  const { answer, malformed } = delivery
  const candidates =
    delivery.eventCandidates.length > 0
      ? `possible: ${listed(delivery.eventCandidates, 'or')}`
      : 'unknown'
  const sender = senderOf(delivery)
  const answered =
    answer.status === null
      ? 'none'
      : `${answer.status}${answer.ms === null ? '' : ` after ${answer.ms.toFixed(1)} ms`}`
  return [
    ['id', delivery.id],
    [
      'received',
      `${localTimeText(delivery.receivedAt)} (${delivery.receivedAt})${sender === null ? '' : ` from ${sender}`}${receiptClaims[delivery.origin]}`,
    ],
    [
      'request',
      delivery.method === null
        ? 'unreadable'
        : `${delivery.method} ${delivery.path ?? ''} HTTP/${delivery.httpVersion}`,
    ],
    ['judged again', delivery.judgedAt && localTimeText(delivery.judgedAt)],
    ['malformed', malformed?.reason ?? null],
    ['first bytes', delivery.firstBytes],
    [
      'event',
      delivery.event === null ? candidates : `${delivery.event} (${eventSourceText(delivery)})`,
    ],
    [
      'origin',
      delivery.origin === 'received'
        ? null
        : `${delivery.origin}, ${delivery.verifiedHere ? 'signature verified here' : 'signature not verified here'}`,
    ],
    [
      'hook',
      delivery.hookId === null
        ? 'no match'
        : `${delivery.hookId}${hookInferred ? ' (probably: several hooks have this path)' : ''}`,
    ],
    [
      'environment',
      delivery.environment === null
        ? 'unknown'
        : `${delivery.environment} (${delivery.mode ?? 'mode unknown'})`,
    ],
    [
      'attempt',
      String(delivery.attempt) + (delivery.attemptOf === null ? '' : ` of ${delivery.attemptOf}`),
    ],
    ['duplicate of', delivery.duplicateOf],
    ['amount', delivery.amount && amountText(delivery)],
    ['merchant', delivery.merchant && printableText(delivery.merchant)],
    ['schema', delivery.schema],
    ['pinned', delivery.pinned ? 'yes' : null],
    ['note', delivery.note && printableText(delivery.note)],
    ['response', answered],
    ['handler', handlerText(delivery)],
    ['flow', delivery.flowRun && flowText(delivery.flowRun)],
    ['body', `${counted(delivery.bodySize, 'byte')}${keptWords(delivery)}`],
    ['sha256', delivery.bodySha256],
  ]
}

/** More schema errors than this are only counted. */
const MOST_SCHEMA_LINES = 3

/** The first schema errors, worst first, and the number of others; empty if there are none. */
function schemaLines(output: Output, { failures, findings }: SchemaReport, id: string): string[] {
  const rows = [
    ...failures.map((note) => ({ ...note, kind: 'failure', colour: 'red' as const })),
    ...findings.map((note) => ({ ...note, kind: 'finding', colour: 'yellow' as const })),
  ]
  const shown = rows.slice(0, MOST_SCHEMA_LINES)
  const lines = createColumns(output)(
    shown.map(({ kind, colour, message, section }) => [
      { text: kind, colour },
      { text: `${message} (spec ${section})` },
    ]),
  )
  const more = (['failure', 'finding'] as const).flatMap((kind) => {
    const count = rows.slice(shown.length).filter((row) => row.kind === kind).length
    return count === 0
      ? []
      : [`${count.toLocaleString('en')} more ${count === 1 ? kind : `${kind}s`}`]
  })
  return more.length === 0
    ? lines
    : [...lines, `${listed(more, 'and')}. List them with "countersign show ${id} --json".`]
}

async function maskedReport(report: SignatureReport, mask: MaskTexts): Promise<SignatureReport> {
  const { url, timestamp, received } = report
  return {
    ...report,
    url: await maskText(mask, url),
    timestamp: await maskText(mask, timestamp),
    received: await maskText(mask, received),
  }
}

async function maskedSchema(report: SchemaReport, mask: MaskTexts): Promise<SchemaReport> {
  const masked = async <Note extends { readonly message: string }>(notes: readonly Note[]) => {
    const messages = await mask(notes.map(({ message }) => message))
    return notes.map((note, index) => ({ ...note, message: messages[index] ?? note.message }))
  }
  return {
    ...report,
    failures: await masked(report.failures),
    findings: await masked(report.findings),
  }
}

async function printForPeople(
  output: Output,
  client: Client,
  delivery: Delivery,
  mask: MaskTexts,
): Promise<void> {
  const { id } = delivery
  const report = await maskedReport(await client.call('deliveries.signature', { id }), mask)
  const { heading } = output
  output.facts(overviewRows(delivery, report))
  heading('Signature')
  output.lines(signatureLines(output, report))
  const lines = schemaLines(
    output,
    await maskedSchema(await client.call('deliveries.schema', { id }), mask),
    id,
  )
  if (lines.length > 0) heading('Schema')
  output.lines(lines)
  heading('Headers')
  for (const [name, value] of delivery.headers)
    output.line(printableText(`${name}: ${readableHeader(value)}`))
  if (delivery.trailers.length > 0) heading('Trailers')
  for (const [name, value] of delivery.trailers)
    output.line(printableText(`${name}: ${readableHeader(value)}`))
  heading('Body')
  output.lines(await bodyLines(client, delivery, mask))
  heading('Response')
  output.lines(responseLines(delivery))
}

async function printStory(
  output: Output,
  client: Client,
  deliveryId: string,
  wanted: ShowOptions,
): Promise<void> {
  if (wanted.lifecycle === true)
    output.lines(lifecycleLines(output, await client.call('lifecycle.get', { deliveryId })))
  if (wanted.lifecycle === true && wanted.attempts === true) output.heading('Attempts')
  if (wanted.attempts === true)
    output.lines(
      attemptLines(output, (await client.call('lifecycle.attempts', { deliveryId })).attempts),
    )
}

/** Writes the decoded body. Standard output contains nothing else, so decoding problems go to stderr. */
async function writeDecoded(output: Output, client: Client, id: string): Promise<void> {
  for await (const piece of bodyPieces(client, id, 'bodies.decoded')) await output.bytes(piece)
  const { problem } = await client.call('bodies.decoded', { id, length: 1 })
  if (problem !== null) output.note(problem)
}

export function add(command: Command, context: CommandContext): void {
  command
    .description('Show everything about a delivery.')
    .example('Show the latest delivery', 'show latest')
    .example(
      'Show the lifecycle of the latest purchase',
      'show latest:transaction.auth --lifecycle',
    )
    .example('Save the exact body', 'show latest --body > body.bin')
    .argument(
      '<id>',
      'delivery ID (8 or more characters), latest, latest~N or latest:EVENT',
      readDeliveryRef,
    )
    .option('--body', 'write only the exact bytes received')
    .option(
      '--decoded',
      'with --body: undo its content-encoding (up to 10 MiB or 100 times its size)',
    )
    .option('--lifecycle', 'show the lifecycle of its purchase or location')
    .option(
      '--attempts',
      'show all attempts of its notification, the gaps between them, and unexpected differences',
    )
    .option('--include-secrets', 'show credentials; --body always includes them')
    .printsJson()
    .run(async (id: string, options: ShowOptions) => {
      if (options.body === true && options.json === true)
        throw new UsageError('Use either --body or --json.')
      if (options.decoded === true && options.body !== true)
        throw new UsageError('--decoded needs --body.')
      for (const other of ['lifecycle', 'attempts'] as const)
        if (options.body === true && options[other] === true)
          throw new UsageError(`Use either --body or --${other}.`)
      await withKeptData(context, options, `Delivery "${id}" not found`, async ({ client }) => {
        const includeSecrets = options.includeSecrets === true
        const delivery = await client.call('deliveries.get', {
          id,
          masked: maskingUnless(includeSecrets),
        })
        const mask = createMaskTexts(client, [delivery.id], includeSecrets)
        if (options.body === true) {
          if (options.decoded === true) await writeDecoded(context.output, client, delivery.id)
          else
            for await (const piece of bodyPieces(client, delivery.id))
              await context.output.bytes(piece)
        } else if (options.json === true) {
          const report = await maskedReport(
            await client.call('deliveries.signature', { id: delivery.id }),
            mask,
          )
          const schemaReport = await maskedSchema(
            await client.call('deliveries.schema', { id: delivery.id }),
            mask,
          )
          const lifecycle =
            options.lifecycle === true
              ? { lifecycle: await client.call('lifecycle.get', { deliveryId: delivery.id }) }
              : {}
          const attempts =
            options.attempts === true
              ? await client.call('lifecycle.attempts', { deliveryId: delivery.id })
              : {}
          const signature = signatureJson(report)
          context.output.json({
            ...deliveryJson(delivery),
            signature,
            schemaReport,
            ...lifecycle,
            ...attempts,
          })
        } else if (options.lifecycle === true || options.attempts === true) {
          await printStory(context.output, client, delivery.id, options)
        } else {
          await printForPeople(context.output, client, delivery, mask)
        }
      })
    })
}

/** Each attempt with its response, the gap before it and failed checks. */
function attemptLines(output: Pick<Output, 'colour'>, attempts: readonly Attempt[]): string[] {
  const heads = createColumns(output)(
    attempts.map(({ row }) => [
      attemptCell(row),
      { text: localTimeText(row.receivedAt), colour: 'grey' as const },
      verdictCell(row),
      { text: row.answer.status === null ? 'none' : String(row.answer.status) },
      { text: row.id, colour: 'grey' as const },
    ]),
  )
  return attempts.flatMap(({ message, checks }, index) => {
    const broken = checks.filter(({ holds }) => !holds)
    return [
      heads[index] ?? '',
      `  ${message}`,
      ...broken.map((check) => output.colour(`  ! ${printableText(check.message)}`, 'yellow')),
      ...(checks.length > 0 && broken.length === 0
        ? ['  As expected: new signature and timestamp; same body, URL and other headers.']
        : []),
    ]
  })
}
