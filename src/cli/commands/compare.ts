/** `countersign compare`: compares the bodies, headers and signature inputs of two deliveries, or two replays with their responses. */
import { MASK } from '../../shared/text/masked.ts'
import { contentEncodings, utf8Text } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/text/counted.ts'
import {
  comparePatch,
  compareStructure,
  compareText,
  headerRows,
} from '../../shared/diff/compare-bodies.ts'
import { firstDifference } from '../../shared/diff/words.ts'
import { ignoredSentence } from '../../shared/diff/folded.ts'
import {
  countRows,
  countSentence,
  cutCountSentence,
  differenceCount,
  type DiffCounts,
  isDifference,
  pieceText,
  whole,
  type DiffRow,
  nothingVolatile,
  type VolatileFields,
} from '../../shared/diff/rows.ts'
import { differenceLines } from '../../shared/diff/written.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { readLatest } from '../../shared/model/delivery-ref.ts'
import { responseWords } from '../../shared/model/outcomes.ts'
import type { SendAnswer } from '../../shared/model/send.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { argument, toggle, readDeliveryRef, readNamedFile, type ValuesOf } from '../options.ts'
import { wholeBody, createMaskTexts, maskText, type MaskTexts } from '../delivery-body.ts'
import { localTimeText } from '../delivery-table.ts'
import { pick, type Output } from '../print.ts'

const options = {
  all: toggle('compare IDs, times and signatures too'),
  patch: toggle('print only the body differences, as a JSON Patch (RFC 6902)').conflicts('json'),
  includeSecrets: toggle('show credentials'),
}
type CompareOptions = ValuesOf<typeof options>

/** How many sends of a delivery are searched for the previous one. */
const MOST_SENDS = 200

/** The number of ignored fields to name. */
const MOST_IGNORED = 12

const MASKED_NOTE = 'different values, masked'

interface Side {
  readonly title: string
  readonly id: string | null
  readonly hookId: string | null
  readonly bytes: Uint8Array
  /** The decoded body; null if it isn't UTF-8. */
  readonly text: string | null
  readonly headers: RawHeaders | null
  /** The headers as printed, in the same positions. */
  readonly shownHeaders: RawHeaders | null
  readonly signed: {
    readonly url: string | null
    readonly timestamp: string | null
    readonly hookId: string | null
  } | null
}

/** A delivery's or a send's headers and body, decoded if they are text. */
type Message = Pick<Side, 'bytes' | 'text' | 'headers' | 'shownHeaders'>

const OF_FILE = { id: null, hookId: null, headers: null, shownHeaders: null, signed: null }

/** `@FILE` is a file; everything else is a delivery. */
async function readSide(client: Client, ref: string, includeSecrets: boolean): Promise<Side> {
  if (ref.startsWith('@')) {
    const file = ref.slice(1)
    const bytes = readNamedFile(file)
    return { ...OF_FILE, title: file, bytes, text: utf8Text(bytes, false) }
  }
  const delivery = await client.call('deliveries.get', { id: ref })
  const shown = includeSecrets
    ? delivery
    : await client.call('deliveries.get', { id: delivery.id, masked: 'credentials' })
  const { url, timestamp, hookId } = await client.call('deliveries.signature', { id: delivery.id })
  const bytes = await wholeBody(client, delivery.id)
  const isEncoded = contentEncodings(delivery.headers).length > 0
  const content = isEncoded ? await wholeBody(client, delivery.id, 'bodies.decoded') : bytes
  return {
    title: `${delivery.event ?? 'delivery'} ${localTimeText(delivery.receivedAt)} ${delivery.id}`,
    id: delivery.id,
    hookId: delivery.hookId,
    bytes,
    text: utf8Text(content, delivery.truncated || isEncoded),
    headers: delivery.headers,
    shownHeaders: shown.headers,
    signed: { url, timestamp, hookId },
  }
}

interface BodyRows {
  readonly how: 'structure' | 'text' | 'bytes'
  readonly rows: readonly DiffRow[]
  /** More differs, or is ignored, than these rows contain. */
  readonly isCut: boolean
  readonly differs: boolean
}

/** Bytes that aren't text are equal or not; the signature inputs show the first difference. */
function byteRows(left: Message, right: Message): BodyRows {
  const byte = firstDifference(left.bytes, right.bytes)
  const words = (side: Message): DiffRow['left'] => {
    const said = `${counted(side.bytes.length, 'byte')}${side.text === null ? ' (not UTF-8 text)' : ''}`
    return [{ text: said, isChanged: true }]
  }
  const note = byte === null ? null : `first difference at byte ${(byte + 1).toLocaleString('en')}`
  const place = { depth: 0, label: '', numbers: null, path: '', isIgnored: false, note }
  return {
    how: 'bytes',
    isCut: false,
    differs: byte !== null,
    rows:
      byte === null ? [] : [{ ...place, kind: 'changed', left: words(left), right: words(right) }],
  }
}

/** Compares by structure if both bodies are JSON. */
function bodyRows(leftSide: Message, rightSide: Message, volatile: VolatileFields): BodyRows {
  const { text: left } = leftSide
  const { text: right } = rightSide
  if (left === null || right === null) return byteRows(leftSide, rightSide)
  const structure = compareStructure(left, right, volatile)
  if (structure.outcome === 'json') return { how: 'structure', ...structure }
  const text = compareText(left, right, false)
  // If the text is equal on both sides, only equal lines are left out.
  return { how: 'text', ...text, isCut: text.isCut && text.differs }
}

/** Says why two equal texts are a difference. */
function withMaskedNote(row: DiffRow): DiffRow {
  const isHidden =
    row.kind === 'changed' &&
    row.left !== null &&
    row.right !== null &&
    pieceText(row.left) === pieceText(row.right)
  if (!isHidden) return row
  return { ...row, note: row.note === null ? MASKED_NOTE : `${row.note}; ${MASKED_NOTE}` }
}

/** The rows as printed. The comparison uses the real values, so two masked values still differ. */
async function maskedRows(rows: readonly DiffRow[], mask: MaskTexts): Promise<DiffRow[]> {
  const texts = await mask(
    rows.flatMap(({ left, right, path, note }) => [
      pieceText(left),
      pieceText(right),
      path,
      note ?? '',
    ]),
  )
  return rows.map((row, index) => {
    const [left = '', right = '', path = '', note = ''] = texts.slice(index * 4, index * 4 + 4)
    return withMaskedNote({
      ...row,
      path,
      note: row.note && note,
      left: row.left && whole(left),
      right: row.right && whole(right),
    })
  })
}

async function maskedSigned(signed: Side['signed'], mask: MaskTexts): Promise<Side['signed']> {
  return (
    signed && {
      ...signed,
      url: await maskText(mask, signed.url),
      timestamp: await maskText(mask, signed.timestamp),
    }
  )
}

function shownHeaderRows(
  rows: readonly DiffRow[],
  leftSide: Message,
  rightSide: Message,
): DiffRow[] {
  const shownBy = ({ headers, shownHeaders }: Message) => {
    const values = new Map(
      headers?.map(([name, value], index) => [
        `${name.toLowerCase()}:${value}`,
        shownHeaders?.[index]?.[1],
      ]),
    )
    return (name: string, pieces: DiffRow['left']) =>
      pieces && whole(values.get(`${name.toLowerCase()}:${pieceText(pieces)}`) ?? MASK)
  }
  const [left, right] = [shownBy(leftSide), shownBy(rightSide)]
  return rows.map((row) =>
    withMaskedNote({
      ...row,
      left: left(row.label, row.left),
      right: right(row.label, row.right),
    }),
  )
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

const differences = (rows: readonly DiffRow[]) =>
  rows.filter((row) => isDifference(row) || row.isIgnored).map(rowJson)

interface ComparedMessages {
  readonly body: BodyRows
  readonly shownRows: readonly DiffRow[]
  readonly headers: readonly DiffRow[]
  readonly counts: { readonly body: DiffCounts; readonly headers: DiffCounts }
  readonly isSame: boolean
}

interface HowToCompare {
  readonly volatile: VolatileFields
  readonly mask: MaskTexts
}

async function compareMessages(
  left: Message,
  right: Message,
  { volatile, mask }: HowToCompare,
): Promise<ComparedMessages> {
  const body = bodyRows(left, right, volatile)
  const headers =
    left.headers === null || right.headers === null
      ? []
      : shownHeaderRows(headerRows(left.headers, right.headers, volatile), left, right)
  const counts = { body: countRows(body.rows), headers: countRows(headers) }
  const isSame = !body.differs && differenceCount(counts.headers) === 0
  return { body, shownRows: await maskedRows(body.rows, mask), headers, counts, isSame }
}

function messagesJson({ body, shownRows, headers, counts }: ComparedMessages) {
  return {
    body: {
      by: body.how,
      counts: counts.body,
      truncated: body.isCut,
      differences: differences(shownRows),
    },
    headers: { counts: counts.headers, differences: differences(headers) },
  }
}

function printMessages(
  output: Output,
  compared: ComparedMessages,
  parts: readonly (readonly ['Body' | 'Headers', string])[],
): void {
  const { body, shownRows, headers, counts } = compared
  for (const [part, title] of parts) {
    const sentence =
      part === 'Headers'
        ? countSentence(counts.headers)
        : body.isCut
          ? cutCountSentence(counts.body, body.differs)
          : countSentence(counts.body)
    const its = part === 'Body' ? shownRows : headers
    output.heading(`${title}: ${sentence}`)
    for (const line of differenceLines(its))
      output.line(
        output.colour(line, line.startsWith('-') ? 'red' : line.startsWith('+') ? 'green' : null),
      )
    const ignored = its.filter(({ isIgnored }) => isIgnored)
    if (ignored.length > 0)
      output.line(output.colour(`  ${ignoredSentence(ignored, MOST_IGNORED)}`, 'grey'))
  }
}

/** The send that a reference names; null if it names a delivery or a file. */
async function sendNamed(client: Client, ref: string): Promise<SendAnswer | null> {
  if (ref.startsWith('@') || readLatest(ref) !== null) return null
  if (/\.\d+$/.test(ref)) return client.call('replay.send', { id: ref })
  try {
    await client.call('deliveries.get', { id: ref })
    return null
  } catch (error) {
    const isUnknown =
      error instanceof AppError && error.code === 'NOT_FOUND' && error.details === undefined
    if (!isUnknown) throw error
    return client.call('replay.send', { id: ref }).catch((missing: unknown) => {
      // Only an error about existing replays has details: one with several sends, or several that match.
      throw missing instanceof AppError && missing.details !== undefined ? missing : error
    })
  }
}

async function messagesOf(
  client: Client,
  send: SendAnswer,
  includeSecrets: boolean,
): Promise<{ readonly request: Message | null; readonly response: Message | null }> {
  const shown = includeSecrets
    ? send
    : await client.call('replay.send', { id: send.id, masked: 'credentials' })
  const message = (
    from: Pick<SendAnswer, 'headers' | 'base64' | 'truncated'>,
    as: Pick<SendAnswer, 'headers'>,
  ): Message => {
    const bytes = Buffer.from(from.base64, 'base64')
    return {
      bytes,
      text: utf8Text(bytes, from.truncated),
      headers: from.headers,
      shownHeaders: as.headers,
    }
  }
  return {
    request: send.request && shown.request && message(send.request, shown.request),
    response: send.status === null ? null : message(send, shown),
  }
}

/** Fields that differ between any two deliveries of a hook, unless all are compared. */
async function volatileFields(
  client: Client,
  hookId: string | null,
  all: boolean,
): Promise<VolatileFields> {
  return all ? nothingVolatile : (await client.call('compare.volatile', { hookId })).fields
}

/** Compares the requests and the responses. Times differ always, so they are shown but don't count. */
async function compareSends(
  output: Output,
  client: Client,
  [left, right]: readonly [SendAnswer, SendAnswer],
  { all, includeSecrets }: CompareOptions,
): Promise<boolean> {
  const mask = createMaskTexts(
    client,
    [...new Set([left.deliveryId, right.deliveryId])],
    includeSecrets,
  )
  const { hookId } = await client.call('deliveries.get', { id: right.deliveryId })
  const volatile = await volatileFields(client, hookId, all)
  const one = await messagesOf(client, left, includeSecrets)
  const other = await messagesOf(client, right, includeSecrets)
  const compared = (name: 'request' | 'response') => {
    const [from, to] = [one[name], other[name]]
    return from === null || to === null ? null : compareMessages(from, to, { volatile, mask })
  }
  const parts = { response: await compared('response'), request: await compared('request') }
  const isSameMessage = (name: 'request' | 'response') =>
    parts[name]?.isSame ?? one[name] === other[name]
  const isSame =
    left.status === right.status && isSameMessage('response') && isSameMessage('request')
  if (output.asJson) {
    const sideJson = async (send: SendAnswer) => ({
      ...pick(send, 'id', 'deliveryId', 'target', 'startedAt', 'status', 'ms'),
      error: await maskText(mask, send.error),
    })
    output.json({
      a: await sideJson(left),
      b: await sideJson(right),
      same: isSame,
      response: parts.response && messagesJson(parts.response),
      request: parts.request && messagesJson(parts.request),
    })
    return isSame
  }
  const title = ({ id, startedAt, target }: SendAnswer) =>
    `replay ${id}${startedAt === null ? '' : ` ${localTimeText(startedAt)}`} to ${target}`
  output.lines([`--- ${title(left)}`, `+++ ${title(right)}`])
  const words = [left, right].map(({ status, ms }) =>
    status === null ? 'no response' : responseWords(status, ms),
  )
  output.heading('Response')
  output.line(`  ${words.join(' | ')}`)
  for (const [name, missing] of [
    ['response', "Couldn't compare the responses: one is missing."],
    ['request', "Couldn't compare the requests: one wasn't sent or isn't stored."],
  ] as const) {
    const its = parts[name]
    const titled = (part: string) => `${name === 'response' ? 'Response' : 'Request'} ${part}`
    if (its === null) output.lines(['', missing])
    else
      printMessages(output, its, [
        ['Headers', titled('headers')],
        ['Body', titled('body')],
      ])
  }
  return isSame
}

const EARLIER =
  'what to compare it with (default: the closest match, such as the previous delivery of its event or the previous replay)'

export const add = defineCommand({
  description:
    'Compare two deliveries, a delivery and a file, or two replays with their responses.',
  exits: { 1: 'anything differs that is not ignored' },
  examples: [
    [
      'Compare the latest delivery with the closest earlier one',
      'compare latest',
      { exits: EXIT.no },
    ],
    [
      'Compare everything, including IDs and times',
      'compare latest~1 latest --all',
      { exits: EXIT.no },
    ],
    [
      'Print the differences from a file as a JSON Patch',
      'compare @expected.json latest:transaction.auth --patch',
      { exits: EXIT.no },
    ],
  ],
  args: {
    a: argument(
      '<a>',
      'delivery ID (8 or more characters), latest, latest~N, latest:EVENT or @FILE; or the ID of a replay or send',
      readDeliveryRef,
    ),
    b: argument('[b]', EARLIER, readDeliveryRef),
  },
  options,
  async run({ a, b, ...wanted }, { needData, output }) {
    const { client } = await needData('Nothing to compare')
    return (await compare(output, client, [a, b], wanted)) ? EXIT.done : EXIT.no
  },
})

/** The closest match: an earlier attempt, the auth, or the previous delivery of the event. */
async function likeliest(client: Client, ref: string): Promise<string> {
  if (ref.startsWith('@')) throw new UsageError('To compare a file, also pass a delivery ID.')
  const { id } = await client.call('deliveries.get', { id: ref })
  const { offers } = await client.call('compare.offers', { deliveryId: id })
  const [first] = offers
  if (first !== undefined) return first.delivery.id
  throw new AppError(
    'NOT_FOUND',
    `No earlier delivery is similar to ${ref}. Pass the ID of a delivery to compare it with.`,
  )
}

/** The two sends that the references name; null if they name deliveries or files. A single send is compared with the previous one. */
async function sendsNamed(
  client: Client,
  a: string,
  b: string | undefined,
): Promise<readonly [SendAnswer, SendAnswer] | null> {
  const one = await sendNamed(client, a)
  const other = b === undefined ? null : await sendNamed(client, b)
  if (one === null && other === null) return null
  if (one !== null && other !== null) return [one, other]
  if (one === null || b !== undefined)
    throw new UsageError('Compare two deliveries or two replays, not one of each.')
  const { sends } = await client.call('replay.ofDelivery', {
    id: one.deliveryId,
    limit: MOST_SENDS,
  })
  const place = sends.findIndex(({ id }) => id === one.id)
  const before =
    place === -1 ? undefined : sends.slice(place + 1).find(({ state }) => state === 'settled')
  if (before === undefined)
    throw new AppError(
      'NOT_FOUND',
      `No replay before ${a}. Pass the ID of a replay to compare it with.`,
    )
  return [await client.call('replay.send', { id: before.id }), one]
}

async function compare(
  output: Output,
  client: Client,
  [a, b]: readonly [string, string | undefined],
  wanted: CompareOptions,
): Promise<boolean> {
  const sends = await sendsNamed(client, a, b)
  if (sends !== null) {
    if (wanted.patch)
      throw new UsageError('--patch compares deliveries. Remove it to compare replays.')
    return compareSends(output, client, sends, wanted)
  }
  // A single delivery is the later one; its match comes first.
  const { includeSecrets } = wanted
  const read = (ref: string) => readSide(client, ref, includeSecrets)
  const [left, right] =
    b === undefined
      ? await Promise.all([likeliest(client, a).then(read), read(a)])
      : await Promise.all([read(a), read(b)])
  const ids = [left.id, right.id].filter((id) => id !== null)
  const mask = createMaskTexts(client, ids, includeSecrets)
  if (wanted.patch) {
    const patch =
      left.text === null || right.text === null ? null : comparePatch(left.text, right.text)
    if (patch === null)
      throw new AppError(
        'UNSUPPORTED',
        '--patch needs two JSON bodies. Compare these without --patch.',
      )
    // Split between operations, so that no message contains all of a large patch. Quotation marks in values are escaped there.
    const masked = await mask(patch.split(/(?<=\}),(?=\{"op":)/))
    output.lines(masked.join(',').split('\n'))
    return patch === '[]'
  }
  const volatile = await volatileFields(client, right.hookId ?? left.hookId, wanted.all)
  const compared = await compareMessages(left, right, { volatile, mask })
  const { body, isSame } = compared
  const signed = {
    left: await maskedSigned(left.signed, mask),
    right: await maskedSigned(right.signed, mask),
  }
  if (output.asJson) {
    output.json({
      a: { id: left.id, title: left.title, signed: signed.left },
      b: { id: right.id, title: right.title, signed: signed.right },
      same: isSame,
      ...messagesJson(compared),
    })
    return isSame
  }
  output.lines([`--- ${left.title}`, `+++ ${right.title}`])
  const hasHeaders = left.headers !== null && right.headers !== null
  printMessages(output, compared, [
    ['Body', 'Body'],
    ...(hasHeaders ? [['Headers', 'Headers'] as const] : []),
  ])
  if (body.isCut && body.differs)
    output.note(
      `The body may have more differences than shown. ${body.how === 'structure' ? 'Use --patch to see them all' : 'Write both bodies to files with "countersign show ID --body" and compare those'}.`,
    )
  if (signed.left !== null && signed.right !== null) {
    output.heading('Signature inputs')
    const byte = firstDifference(left.bytes, right.bytes)
    const sizes = [left, right].map(({ bytes }) => bytes.length.toLocaleString('en'))
    output.line(
      byte === null
        ? `  body: identical (${sizes[0] ?? ''} bytes)`
        : `  body: ${sizes.join(' | ')} bytes, first difference at byte ${(byte + 1).toLocaleString('en')}`,
    )
    const inputs: readonly (readonly [string, string | null, string | null])[] = [
      ['URL', signed.left.url, signed.right.url],
      ['timestamp', signed.left.timestamp, signed.right.timestamp],
      ['secret of hook', signed.left.hookId, signed.right.hookId],
    ]
    for (const [name, one, other] of inputs)
      output.line(
        one === other
          ? `  ${name}: identical (${one ?? 'unknown'})`
          : `  ${name}: ${one ?? 'unknown'} | ${other ?? 'unknown'}`,
      )
  }
  return isSame
}
