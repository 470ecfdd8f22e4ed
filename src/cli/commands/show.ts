/** `countersign show`: shows everything about a delivery, or writes its exact body. */
import { counted, byteSize, listed } from '../../shared/text/english.ts'
import { MASKED_BEYOND } from '../../shared/text/mask.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import {
  isResponsePending,
  senderOf,
  type Delivery,
  type DeliveryFlow,
  type SchemaReport,
} from '../../shared/model/delivery.ts'
import type { Attempt } from '../../shared/model/lifecycle.ts'
import { labelOf, responseWords } from '../../shared/model/outcomes.ts'
import { outcomeOfHandler } from '../../shared/model/send-outcomes.ts'
import type { SignatureReport } from '../../shared/model/signature.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../context.ts'
import { bodyPieces, headerLine, maskedStart, messageLines } from '../delivery-body.ts'
import { signatureJson } from '../signature-json.ts'
import { attemptCell, localTimeText, verdictCell } from '../delivery-table.ts'
import { lifecycleLines } from '../lifecycle-text.ts'
import { flagOption, omitUndefined } from '../options/input.ts'
import { deliveryId } from '../options/delivery-arguments.ts'
import { createColumns, grey, type Output } from '../print.ts'
import { hookText, signatureLines } from '../signature-text.ts'

/** Bytes of a body to show without `--body`. */
const SHOWN_BODY = 65_536

async function bodyLines(client: Client, delivery: Delivery): Promise<string[]> {
  if (delivery.bodySize === 0) return ['(no body)']
  const isEncoded = contentEncodings(delivery.headers).length > 0
  const piece = { id: delivery.id, length: SHOWN_BODY + MASKED_BEYOND }
  const { base64, size, how, write } = isEncoded
    ? await readDecodedStart(client, piece)
    : { ...(await client.call('deliveries.body', piece)), how: [], write: '--body' }
  const isOpen = isEncoded || size > SHOWN_BODY
  const bytes = Buffer.from(base64, 'base64')
  const shown = await maskedStart(client, delivery, bytes, {
    most: SHOWN_BODY,
    mayEndInCharacter: isOpen,
  })
  if (shown === null) return [...how, `(not UTF-8 text: write the bytes with ${write})`]
  const lines = [...how, ...shown.split(/\r?\n/)]
  return size > SHOWN_BODY
    ? [
        ...lines,
        `(first ${byteSize(SHOWN_BODY)} of ${byteSize(size)}: write the full body with ${write})`,
      ]
    : lines
}

/** Returns the start of the decoded body and notes about the decoding. */
async function readDecodedStart(
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

function bodyStateText({ truncated, bodyLost, bodyAltered }: Delivery): string {
  if (bodyLost) return ', body lost to database damage'
  if (bodyAltered) return ', altered since it arrived by database damage'
  return truncated ? ', only the start stored' : ''
}

const receiptSources: Readonly<Record<Delivery['origin'], string>> = {
  received: '',
  imported: ', according to the file',
  reported: ', as reported',
  shared: ', as shared',
  composed: ', composed here',
}

function eventSourceText({ eventSource, origin, verifiedHere }: Delivery): string {
  if (eventSource === null && origin === 'composed') return 'as chosen'
  if (eventSource !== 'hook') return 'inferred from payload'
  return verifiedHere ? 'identified by hook' : 'from the imported file'
}

/** Returns a sentence such as `Returned 500 in 22 ms at 2026-11-21 10:30:00.123 from @local: …`. */
function handlerText({ handler, ...delivery }: Delivery): string {
  if (handler === null) return 'not recorded'
  const { name, target, status, ms, at } = handler
  const { word, why } = outcomeOfHandler({ ...delivery, handler })
  const from = name === null ? target : `@${name} (${target})`
  const returned = status === null ? labelOf({ word }) : responseWords(status, ms)
  return `${returned}${at === null ? '' : ` at ${localTimeText(at)}`} from ${from}: ${why}`
}

/** Returns our response's status, headers and body. */
function responseLines(delivery: Delivery): string[] {
  const { response } = delivery
  if (response === null) return [isResponsePending(delivery) ? 'No response yet' : 'Not recorded']
  const { status, headers, body, truncated } = response
  if (status === null) return ['The connection was closed without a response.']
  const bytes = Buffer.from(body, 'base64')
  return [String(status), ...messageLines({ headers, bytes, truncated })]
}

function amountText({ amount, currency }: Delivery): string {
  return [amount ?? '', currency ?? ''].join(' ').trim()
}

function flowText({ flow, run, step }: DeliveryFlow): string {
  return `${flow}${step === null ? '' : `, step ${step}`} (run ${run})`
}

function overviewRows(
  delivery: Delivery,
  report: SignatureReport,
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
      `${localTimeText(delivery.receivedAt)} (${delivery.receivedAt})${sender === null ? '' : ` from ${sender}`}${receiptSources[delivery.origin]}`,
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
        : delivery.origin === 'shared'
          ? 'shared, re-signed'
          : `${delivery.origin}, ${delivery.verifiedHere ? 'signature verified here' : 'signature not verified here'}`,
    ],
    ['name', delivery.name],
    [
      'hook',
      delivery.hookId === null
        ? 'no match'
        : `${delivery.hookId === report.hookId ? hookText(report) : delivery.hookId}${report.hookInferred ? ' (probably: several hooks have this path)' : ''}`,
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
    ['merchant', delivery.merchant],
    ['schema', delivery.schema],
    ['pinned', delivery.pinned ? 'yes' : null],
    ['note', delivery.note],
    ['response', answered],
    ['handler', handlerText(delivery)],
    ['flow', delivery.flowRun && flowText(delivery.flowRun)],
    ['body', `${counted(delivery.bodySize, 'byte')}${bodyStateText(delivery)}`],
    ['sha256', delivery.bodySha256],
  ]
}

/** Schema errors to show; others are only counted. */
const MOST_SCHEMA_LINES = 3

/** Returns the first schema errors, worst first, and the number of others. */
function schemaLines(output: Output, { failures, findings }: SchemaReport, id: string): string[] {
  const rows = [
    ...failures.map((note) => ({ ...note, kind: 'failure', color: 'red' as const })),
    ...findings.map((note) => ({ ...note, kind: 'finding', color: 'yellow' as const })),
  ]
  const shown = rows.slice(0, MOST_SCHEMA_LINES)
  const lines = createColumns(output)(
    shown.map(({ kind, color, message, section }) => [
      { text: kind, color },
      `${message} (spec ${section})`,
    ]),
  )
  const counts = (['failure', 'finding'] as const).flatMap((kind) => {
    const count = rows.slice(shown.length).filter((row) => row.kind === kind).length
    return count === 0
      ? []
      : [`${count.toLocaleString('en')} more ${count === 1 ? kind : `${kind}s`}`]
  })
  return counts.length === 0
    ? lines
    : [...lines, `${listed(counts, 'and')}. List them with "countersign show ${id} --json".`]
}

async function printDelivery(
  output: Output,
  client: Client,
  delivery: Delivery,
  report: SignatureReport,
  schema: SchemaReport,
): Promise<void> {
  const section = (title: string, lines: readonly string[]) => {
    output.heading(title)
    output.lines(lines)
  }
  output.facts(overviewRows(delivery, report))
  section('Signature', signatureLines(output, report, { delivery: delivery.id }))
  const lines = schemaLines(output, schema, delivery.id)
  if (lines.length > 0) section('Schema', lines)
  section('Headers', delivery.headers.map(headerLine))
  if (delivery.trailers.length > 0) section('Trailers', delivery.trailers.map(headerLine))
  section('Body', await bodyLines(client, delivery))
  section('Response', responseLines(delivery))
}

/** Writes the exact or decoded body, and decoding problems to stderr. */
async function writeBody(
  output: Output,
  client: Client,
  id: string,
  { isDecoded }: { readonly isDecoded: boolean },
): Promise<void> {
  for await (const piece of bodyPieces(client, id, isDecoded ? 'bodies.decoded' : undefined))
    await output.bytes(piece)
  const { problem } = isDecoded
    ? await client.call('bodies.decoded', { id, length: 1 })
    : { problem: null }
  if (problem !== null) output.note(problem)
}

export const add = defineCommand({
  description: 'Show everything about a delivery.',
  examples: [
    ['Show the latest delivery', 'show latest'],
    ['Show the lifecycle of the latest purchase', 'show latest:transaction.auth --lifecycle'],
    ['Save the exact body', 'show latest --body > body.bin'],
  ],
  args: { id: deliveryId() },
  options: {
    body: flagOption('write only the exact bytes received').conflicts(
      'json',
      'lifecycle',
      'attempts',
    ),
    decoded: flagOption(
      'with --body: undo its content-encoding (up to 10 MiB or 100 times its size)',
    ),
    lifecycle: flagOption('show the lifecycle of its purchase or location'),
    attempts: flagOption(
      'show all attempts of its notification, the gaps between them, and unexpected differences',
    ),
    includeSecrets: flagOption('show credentials; --body always includes them'),
  },
  async run(input, { needData, output }) {
    if (input.decoded && !input.body) throw new UsageError('--decoded needs --body.')
    const { client } = await needData(`Delivery "${input.id}" not found`)
    const delivery = await client.call('deliveries.get', { id: input.id })
    const { id } = delivery
    if (input.body) {
      await writeBody(output, client, id, { isDecoded: input.decoded })
      return
    }
    const lifecycle = input.lifecycle
      ? await client.call('lifecycle.get', { deliveryId: id })
      : undefined
    const attempts = input.attempts
      ? (await client.call('lifecycle.attempts', { deliveryId: id })).attempts
      : undefined
    if (!output.asJson && (lifecycle ?? attempts) !== undefined) {
      if (lifecycle !== undefined) output.lines(lifecycleLines(output, lifecycle))
      if (lifecycle !== undefined && attempts !== undefined) output.heading('Attempts')
      if (attempts !== undefined) output.lines(attemptLines(output, attempts))
      return
    }
    const report = await client.call('deliveries.signature', { id })
    const schemaReport = await client.call('deliveries.schema', { id })
    if (output.asJson)
      output.json({
        ...delivery,
        signature: signatureJson(report),
        schemaReport,
        ...omitUndefined({ lifecycle, attempts }),
      })
    else await printDelivery(output, client, delivery, report, schemaReport)
  },
})

function attemptLines(output: Pick<Output, 'color'>, attempts: readonly Attempt[]): string[] {
  const heads = createColumns(output)(
    attempts.map(({ row }) => [
      attemptCell(row),
      grey(localTimeText(row.receivedAt)),
      verdictCell(row),
      row.answer.status === null ? 'none' : String(row.answer.status),
      grey(row.id),
    ]),
  )
  return attempts.flatMap(({ message, checks }, index) => {
    const broken = checks.filter(({ holds }) => !holds)
    return [
      heads[index] ?? '',
      `  ${message}`,
      ...broken.map((check) => output.color(`  ! ${check.message}`, 'yellow')),
      ...(checks.length > 0 && broken.length === 0
        ? ['  As expected: new signature and timestamp; same body, URL and other headers.']
        : []),
    ]
  })
}
