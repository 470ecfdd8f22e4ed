/** `countersign compare`: what differs between two deliveries: their bodies by structure, their headers, and what was signed. */
import type { Command } from 'commander'
import { printableText } from '../../shared/text/printable.ts'
import { contentEncodings } from '../../shared/body/content-headers.ts'
import { utf8Text } from '../../shared/body/utf8-text.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/counted.ts'
import { comparePatch, compareStructure, compareText } from '../../shared/diff/compare-bodies.ts'
import { firstDifference } from '../../shared/diff/first-difference.ts'
import { ignoredSentence } from '../../shared/diff/folded.ts'
import { headerRows } from '../../shared/diff/header-rows.ts'
import {
  countRows,
  countSentence,
  cutCountSentence,
  differenceCount,
  isDifference,
  pieceText,
  type DiffRow,
} from '../../shared/diff/rows.ts'
import { nothingVolatile, type VolatileFields } from '../../shared/diff/volatile.ts'
import { differenceLines } from '../../shared/diff/written.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { readDeliveryRef } from '../arguments.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { wholeBody } from '../delivery-body.ts'
import { localTime } from '../delivery-table.ts'
import { EXIT, UsageError } from '../failure.ts'
import { readNamedFile } from '../inputs.ts'
import { noDataYet, withExistingData } from '../session.ts'

interface CompareOptions extends DataOption {
  readonly all?: true
  readonly patch?: true
  readonly json?: true
}

/** So many ignored fields are named. */
const MOST_IGNORED = 12

interface Side {
  readonly title: string
  readonly id: string | null
  readonly hookId: string | null
  readonly bytes: Uint8Array
  /** What the bytes say, their `content-encoding` undone; null where that is no UTF-8. */
  readonly text: string | null
  readonly headers: RawHeaders | null
  readonly signed: { readonly url: string | null; readonly timestamp: string | null; readonly hookId: string | null } | null
}

/** `@FILE` is a text; anything else names a delivery. */
async function readSide(client: Client, ref: string): Promise<Side> {
  if (ref.startsWith('@')) {
    const file = ref.slice(1)
    const bytes = await readNamedFile(file)
    return { title: file, id: null, hookId: null, bytes, text: utf8Text(bytes, false), headers: null, signed: null }
  }
  const delivery = await client.call('deliveries.get', { id: ref })
  const { url, timestamp, hookId } = await client.call('deliveries.signature', { id: delivery.id })
  const bytes = await wholeBody(client, delivery.id)
  const isEncoded = contentEncodings(delivery.headers).length > 0
  const content = isEncoded ? await wholeBody(client, delivery.id, 'bodies.decoded') : bytes
  return {
    title: `${delivery.event ?? 'delivery'} ${localTime(delivery.receivedAt)} ${delivery.id}`,
    id: delivery.id,
    hookId: delivery.hookId,
    bytes,
    text: utf8Text(content, delivery.truncated || isEncoded),
    headers: delivery.headers,
    signed: { url, timestamp, hookId },
  }
}

interface BodyRows {
  readonly how: 'structure' | 'text' | 'bytes'
  readonly rows: readonly DiffRow[]
  /** More differs, or is ignored, than these rows hold. */
  readonly isCut: boolean
  readonly differs: boolean
}

/** Bytes that are no text are the same or not: which is the first that differs stands with what was signed. */
function byteRows(left: Side, right: Side): BodyRows {
  const byte = firstDifference(left.bytes, right.bytes)
  const words = (side: Side): DiffRow['left'] => {
    const said = `${counted(side.bytes.length, 'byte')}${side.text === null ? ' that are no UTF-8 text' : ''}`
    return [{ text: said, isChanged: true }]
  }
  const note = byte === null ? null : `number ${(byte + 1).toLocaleString('en')} is the first that differs`
  const place = { depth: 0, label: '', numbers: null, path: '', isIgnored: false, note }
  return {
    how: 'bytes',
    isCut: false,
    differs: byte !== null,
    rows: byte === null ? [] : [{ ...place, kind: 'changed', left: words(left), right: words(right) }],
  }
}

/** Rows of the bodies, by structure where both are JSON. */
function bodyRows(leftSide: Side, rightSide: Side, volatile: VolatileFields): BodyRows {
  const { text: left } = leftSide
  const { text: right } = rightSide
  if (left === null || right === null) return byteRows(leftSide, rightSide)
  const structure = compareStructure(left, right, volatile)
  if (structure.outcome === 'json') return { how: 'structure', ...structure }
  const text = compareText(left, right, false)
  // Of a text that is the same on both sides only lines that are the same are left out.
  return { how: 'text', ...text, isCut: text.isCut && text.differs }
}

function rowJson({ kind, path, numbers, left, right, note, isIgnored }: DiffRow) {
  return {
    kind,
    path,
    ...(numbers === null ? {} : { lines: numbers }),
    left: left === null ? null : pieceText(left),
    right: right === null ? null : pieceText(right),
    note,
    ignored: isIgnored,
  }
}

const told = (rows: readonly DiffRow[]) => rows.filter((row) => isDifference(row) || row.isIgnored).map(rowJson)

export function addCompare(compareCommand: Command, context: CommandContext): void {
  compareCommand
    .description(
      'Compares two deliveries, or a delivery with a text: the body by its structure, headers, and what was signed. Ends with 0 only where nothing differs but what is ignored.',
    )
    .argument('<a>', 'id of a delivery, "latest", "latest:EVENT", or @FILE', readDeliveryRef)
    .argument(
      '[b]',
      'the same (default: what A is likeliest to be compared with, such as the previous one of its event)',
      readDeliveryRef,
    )
    .option('--all', 'ignore nothing: ids, times and signatures count too')
    .option('--patch', 'print the difference of the bodies as a JSON Patch (RFC 6902), and nothing else')
    .option('--json', 'print one JSON object')
    .action(async (a: string, b: string | undefined, _own: unknown, command: Command) => {
      const options: CompareOptions = command.optsWithGlobals()
      if (options.patch === true && options.json === true)
        throw new UsageError('--patch and --json do not go together. Give one of them.')
      const dataFolder = dataFolderOf(context, options)
      const isSame = await withExistingData(context, dataFolder, ({ client }) => compare(context, client, [a, b], options))
      if (isSame === null) throw new AppError('NOT_FOUND', noDataYet('There is nothing to compare', dataFolder))
      context.exit(isSame ? EXIT.done : EXIT.no)
    })
}

/** The likeliest other side of a delivery: an attempt before it, its auth, or the previous one of its event. */
async function likeliest(client: Client, ref: string): Promise<string> {
  if (ref.startsWith('@')) throw new UsageError('A text is compared with a delivery that is named. Give both sides.')
  const { id } = await client.call('deliveries.get', { id: ref })
  const { offers } = await client.call('compare.offers', { deliveryId: id })
  const [first] = offers
  if (first !== undefined) return first.delivery.id
  throw new AppError('NOT_FOUND', `Nothing like ${ref} was received before it. Name what it is to be compared with.`)
}

async function compare(
  context: CommandContext,
  client: Client,
  [a, b]: readonly [string, string | undefined],
  options: CompareOptions,
): Promise<boolean> {
  const { output } = context
  // With one side named, that is the later one: what it is compared with comes first.
  const [left, right] =
    b === undefined
      ? await Promise.all([likeliest(client, a).then((id) => readSide(client, id)), readSide(client, a)])
      : await Promise.all([readSide(client, a), readSide(client, b)])
  if (options.patch === true) {
    const patch = left.text === null || right.text === null ? null : comparePatch(left.text, right.text)
    if (patch === null)
      throw new AppError('UNSUPPORTED', 'A JSON Patch takes two bodies that are JSON. Compare them without --patch.')
    output.line(patch)
    return patch === '[]'
  }
  const volatile =
    options.all === true
      ? nothingVolatile
      : (await client.call('compare.volatile', { hookId: right.hookId ?? left.hookId })).fields
  const body = bodyRows(left, right, volatile)
  const headers = left.headers === null || right.headers === null ? [] : headerRows(left.headers, right.headers, volatile)
  const counts = { body: countRows(body.rows), headers: countRows(headers) }
  const isSame = !body.differs && differenceCount(counts.headers) === 0
  if (options.json === true) {
    output.json({
      a: { id: left.id, title: left.title, signed: left.signed },
      b: { id: right.id, title: right.title, signed: right.signed },
      same: isSame,
      body: { by: body.how, counts: counts.body, truncated: body.isCut, differences: told(body.rows) },
      headers: { counts: counts.headers, differences: told(headers) },
    })
    return isSame
  }
  output.line(`--- ${printableText(left.title)}`)
  output.line(`+++ ${printableText(right.title)}`)
  const sentences = {
    body: body.isCut ? cutCountSentence(counts.body, body.differs) : countSentence(counts.body),
    headers: countSentence(counts.headers),
  }
  for (const [name, sentence, rows] of [
    ['Body', sentences.body, body.rows],
    ['Headers', sentences.headers, headers],
  ] as const) {
    if (name === 'Headers' && (left.headers === null || right.headers === null)) continue
    output.line(`\n${output.colour(`${name}: ${sentence}`, 'bold')}`)
    for (const line of differenceLines(rows))
      output.line(output.colour(printableText(line), line.startsWith('-') ? 'red' : line.startsWith('+') ? 'green' : null))
    const ignored = rows.filter(({ isIgnored }) => isIgnored)
    if (ignored.length > 0) output.line(output.colour(printableText(`  ${ignoredSentence(ignored, MOST_IGNORED)}`), 'grey'))
  }
  if (body.isCut && body.differs)
    output.note(
      `There may be more differences in the body than are told here; ${body.how === 'structure' ? '--patch has all of them' : 'write both with "countersign show ID --body", and compare the files'}.`,
    )
  if (left.signed !== null && right.signed !== null) {
    output.line(`\n${output.colour('Signature inputs', 'bold')}`)
    const byte = firstDifference(left.bytes, right.bytes)
    const sizes = [left, right].map(({ bytes }) => bytes.length.toLocaleString('en'))
    output.line(
      byte === null
        ? `  body: the same ${sizes[0] ?? ''} bytes`
        : `  body: ${sizes.join(' | ')} bytes, of which number ${(byte + 1).toLocaleString('en')} is the first that differs`,
    )
    const inputs: readonly (readonly [string, string | null, string | null])[] = [
      ['URL', left.signed.url, right.signed.url],
      ['timestamp', left.signed.timestamp, right.signed.timestamp],
      ['secret of hook', left.signed.hookId, right.signed.hookId],
    ]
    for (const [name, one, other] of inputs)
      output.line(
        printableText(
          one === other
            ? `  ${name}: the same, ${one ?? 'not known'}`
            : `  ${name}: ${one ?? 'not known'} | ${other ?? 'not known'}`,
        ),
      )
  }
  return isSame
}
