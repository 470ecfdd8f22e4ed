/** `countersign compare`: compares the bodies, headers and signature inputs of two deliveries, or two replays with their responses. */
import { lastWordStart, MASK, MASKED_BEYOND } from '../../shared/text/masked.ts'
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
  clipped,
  countSentence,
  cutCountSentence,
  differenceCount,
  type DiffCounts,
  isDifference,
  LONGEST_SHOWN,
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
import { createValueMask, wholeBody, type ValueMask } from '../delivery-body.ts'
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

/** A request's or response's headers and body, decoded if they are text. A file has no headers. */
interface Message {
  readonly bytes: Uint8Array
  /** The decoded body; null if it isn't UTF-8. */
  readonly text: string | null
  /** Whether only the start of the body is stored. */
  readonly isCut: boolean
  readonly headers: RawHeaders | null
  /** The headers as printed, in the same positions. */
  readonly shownHeaders: RawHeaders | null
}

/** A delivery or a file, or a send with its status. */
interface Side {
  readonly title: string
  readonly deliveryId: string | null
  readonly hookId: string | null
  /** Its messages; null if one is missing. A delivery or file is a single one without a name. */
  readonly messages: Readonly<Record<string, Message | null>>
  /** How JSON describes it. */
  readonly json: object
  readonly signed: {
    readonly url: string | null
    readonly timestamp: string | null
    readonly hookId: string | null
  } | null
  /** Only of a send. */
  readonly sent?: Pick<SendAnswer, 'status' | 'ms'>
}

/** `@FILE` is a file; everything else is a delivery. */
async function readSide(client: Client, ref: string): Promise<Side> {
  if (ref.startsWith('@')) {
    const title = ref.slice(1)
    const bytes = readNamedFile(title)
    const text = utf8Text(bytes, false)
    const file = { bytes, text, isCut: false, headers: null, shownHeaders: null }
    const json = { id: null, title, signed: null }
    return { title, deliveryId: null, hookId: null, messages: { '': file }, json, signed: null }
  }
  const delivery = await client.call('deliveries.get', { id: ref, masked: 'none' })
  const { id, headers, truncated } = delivery
  const { headers: shownHeaders } = await client.call('deliveries.get', { id })
  const { url, timestamp, hookId } = await client.call('deliveries.signature', { id })
  const bytes = await wholeBody(client, id)
  const isEncoded = contentEncodings(headers).length > 0
  const content = isEncoded ? await wholeBody(client, id, 'bodies.decoded') : bytes
  const text = utf8Text(content, truncated || isEncoded)
  const signed = { url, timestamp, hookId }
  const title = `${delivery.event ?? 'delivery'} ${localTimeText(delivery.receivedAt)} ${id}`
  return {
    title,
    deliveryId: id,
    hookId: delivery.hookId,
    messages: { '': { bytes, text, isCut: truncated, headers, shownHeaders } },
    json: { id, title, signed },
    signed,
  }
}

/** Times differ always, so they are shown but don't count. */
async function sideOfSend(client: Client, send: SendAnswer): Promise<Side> {
  const { id, deliveryId, startedAt, target, status, ms } = send
  const shown = await client.call('replay.send', { id })
  const { hookId } = await client.call('deliveries.get', { id: deliveryId })
  const message = (
    { base64, truncated, headers }: Pick<SendAnswer, 'headers' | 'base64' | 'truncated'>,
    { headers: shownHeaders }: Pick<SendAnswer, 'headers'>,
  ): Message => {
    const bytes = Buffer.from(base64, 'base64')
    return { bytes, text: utf8Text(bytes, truncated), isCut: truncated, headers, shownHeaders }
  }
  return {
    title: `replay ${id}${startedAt === null ? '' : ` ${localTimeText(startedAt)}`} to ${target}`,
    deliveryId,
    hookId,
    messages: {
      response: status === null ? null : message(send, shown),
      request: send.request && shown.request && message(send.request, shown.request),
    },
    json: pick(send, 'id', 'deliveryId', 'target', 'startedAt', 'status', 'ms', 'error'),
    signed: null,
    sent: { status, ms },
  }
}

interface BodyRows {
  readonly how: 'structure' | 'text' | 'bytes'
  readonly rows: readonly DiffRow[]
  /** More differs, or is ignored, than these rows contain. */
  readonly isCut: boolean
  readonly differs: boolean
}

/** The place of the first difference between two bodies; null if they are equal. A place within a secret would tell how much of it is guessed right. */
async function differenceWords(
  sides: readonly [Message, Message],
  mask: SidesMask,
): Promise<string | null> {
  const byte = firstDifference(sides[0].bytes, sides[1].bytes)
  if (byte === null) return null
  const areHidden = await Promise.all(sides.map(({ bytes }) => mask.hides(bytes, byte)))
  return areHidden.includes(true)
    ? 'first difference in masked text'
    : `first difference at byte ${(byte + 1).toLocaleString('en')}`
}

/** Bytes that aren't text are equal or not. */
function byteRows(left: Message, right: Message, note: string | null): BodyRows {
  const words = (side: Message): DiffRow['left'] => {
    const said = `${counted(side.bytes.length, 'byte')}${side.text === null ? ' (not UTF-8 text)' : ''}`
    return [{ text: said, isChanged: true }]
  }
  const place = { depth: 0, label: '', numbers: null, path: '', isIgnored: false, note }
  return {
    how: 'bytes',
    isCut: false,
    differs: note !== null,
    rows:
      note === null ? [] : [{ ...place, kind: 'changed', left: words(left), right: words(right) }],
  }
}

/** Characters of a value from which one is masked, and then cut. */
const beyondShown = (text: string) => text.slice(0, LONGEST_SHOWN + MASKED_BEYOND)

/** Compares by structure if both bodies are JSON. */
async function bodyRows(
  sides: readonly [Message, Message],
  volatile: VolatileFields,
  mask: SidesMask,
): Promise<BodyRows> {
  const [{ text: left }, { text: right }] = sides
  if (left === null || right === null) return byteRows(...sides, await differenceWords(sides, mask))
  const structure = compareStructure(left, right, volatile, undefined, beyondShown)
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

/** Masks texts of two sides. */
interface SidesMask {
  readonly values: ValueMask
  /** Masks the lines of a text as a whole, because a secret may continue on the next line. `isCut`: only its start is stored. */
  lines(text: string, isCut: boolean): Promise<string[]>
  /** Whether a byte is part of a masked text. */
  hides(bytes: Uint8Array, at: number): Promise<boolean>
}

/** Characters masked per call. */
const PORTION = 1_000_000

function createSidesMask(client: Client, ids: string[]): SidesMask {
  return {
    values: createValueMask(client, ids),
    async lines(text, isCut) {
      const parts: string[] = []
      const length = isCut ? lastWordStart(text) : text.length
      for (let from = 0; from < length;) {
        const most = Math.min(PORTION, length - from)
        const piece = text.slice(from, from + most + MASKED_BEYOND)
        const { texts, ends } = await client.call('exchange.mask', { ids, texts: [piece], most })
        parts.push(...texts)
        from += ends[0] ?? most
      }
      return parts.join('').split('\n')
    },
    async hides(bytes, at) {
      const start = Math.max(0, at - MASKED_BEYOND)
      const text = Buffer.from(bytes.subarray(start, at + MASKED_BEYOND)).toString('latin1')
      const most = at + 1 - start
      const { ends } = await client.call('exchange.mask', { ids, texts: [text], most })
      return ends.some((end) => end > most)
    },
  }
}

/** The rows as printed. The comparison uses the real values, so two masked values still differ. */
async function maskedRows(
  { how, rows }: BodyRows,
  sides: readonly [Message, Message],
  mask: SidesMask,
): Promise<DiffRow[]> {
  if (how === 'text') {
    const [left = [], right = []] = await Promise.all(
      sides.map(({ text, isCut }) => mask.lines(text ?? '', isCut)),
    )
    const lineAt = (lines: readonly string[], number: number | null | undefined) =>
      number == null ? null : whole(clipped(lines[number - 1] ?? ''))
    return rows.map((row) =>
      withMaskedNote({
        ...row,
        left: lineAt(left, row.numbers?.[0]),
        right: lineAt(right, row.numbers?.[1]),
      }),
    )
  }
  const textOf = (pieces: DiffRow['left']) => (pieces === null ? null : pieceText(pieces))
  const values = rows.flatMap(({ left, right, path, note }) => [
    path,
    note,
    textOf(left),
    textOf(right),
  ])
  const texts = (await mask.values(values, LONGEST_SHOWN)).map((text, index) =>
    (values[index]?.length ?? 0) > LONGEST_SHOWN ? `${text ?? ''}…` : text,
  )
  const piecesOf = (text: string | null | undefined) => (text == null ? null : whole(text))
  return rows.map((row, index) => {
    const [path = '', note = null, left, right] = texts.slice(4 * index, 4 * index + 4)
    return withMaskedNote({
      ...row,
      path: path ?? '',
      note,
      left: piecesOf(left),
      right: piecesOf(right),
    })
  })
}

async function shownHeaderRows(
  rows: readonly DiffRow[],
  [leftSide, rightSide]: readonly [Message, Message],
  mask: ValueMask,
): Promise<DiffRow[]> {
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
  const names = await mask(rows.map(({ path, note }) => ({ path, note })))
  return rows.map((row, index) =>
    withMaskedNote({
      ...row,
      ...names[index],
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
  /** Null if a side lacks headers. */
  readonly headers: readonly DiffRow[] | null
  readonly counts: { readonly body: DiffCounts; readonly headers: DiffCounts }
  readonly isSame: boolean
}

async function compareMessages(
  sides: readonly [Message, Message],
  volatile: VolatileFields,
  mask: SidesMask,
): Promise<ComparedMessages> {
  const [left, right] = sides
  const body = await bodyRows(sides, volatile, mask)
  const headers =
    left.headers === null || right.headers === null
      ? null
      : await shownHeaderRows(headerRows(left.headers, right.headers, volatile), sides, mask.values)
  const counts = { body: countRows(body.rows), headers: countRows(headers ?? []) }
  const isSame = !body.differs && differenceCount(counts.headers) === 0
  const shownRows = await maskedRows(body, sides, mask)
  return { body, shownRows, headers, counts, isSame }
}

function messagesJson({ body, shownRows, headers, counts }: ComparedMessages) {
  return {
    body: {
      by: body.how,
      counts: counts.body,
      truncated: body.isCut,
      differences: differences(shownRows),
    },
    headers: { counts: counts.headers, differences: differences(headers ?? []) },
  }
}

/** The parts of each message with their titles, in the order printed. */
const titles: Readonly<Record<string, readonly string[]>> = {
  '': ['Body', 'Headers'],
  response: ['Response headers', 'Response body'],
  request: ['Request headers', 'Request body'],
}
const incomparable: Readonly<Record<string, string>> = {
  response: "Couldn't compare the responses: one is missing.",
  request: "Couldn't compare the requests: one wasn't sent or isn't stored.",
}

function printMessages(
  output: Output,
  { body, shownRows, headers, counts }: ComparedMessages,
  name: string,
): void {
  for (const title of titles[name] ?? []) {
    const isBody = /body$/i.test(title)
    const rows = isBody ? shownRows : headers
    if (rows === null) continue
    const sentence =
      isBody && body.isCut
        ? cutCountSentence(counts.body, body.differs)
        : countSentence(isBody ? counts.body : counts.headers)
    output.heading(`${title}: ${sentence}`)
    for (const line of differenceLines(rows))
      output.line(
        output.colour(line, line.startsWith('-') ? 'red' : line.startsWith('+') ? 'green' : null),
      )
    const ignored = rows.filter(({ isIgnored }) => isIgnored)
    if (ignored.length > 0)
      output.line(output.colour(`  ${ignoredSentence(ignored, MOST_IGNORED)}`, 'grey'))
  }
}

/** The send that a reference names; null if it names a delivery or a file. */
async function sendNamed(client: Client, ref: string): Promise<SendAnswer | null> {
  if (ref.startsWith('@') || readLatest(ref) !== null) return null
  const find = () => client.call('replay.send', { id: ref, masked: 'none' })
  if (/\.\d+$/.test(ref)) return find()
  try {
    await client.call('deliveries.get', { id: ref })
    return null
  } catch (error) {
    const isUnknown =
      error instanceof AppError && error.code === 'NOT_FOUND' && error.details === undefined
    if (!isUnknown) throw error
    return find().catch((missing: unknown) => {
      // Only an error about existing replays has details: one with several sends, or several that match.
      throw missing instanceof AppError && missing.details !== undefined ? missing : error
    })
  }
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
  return [await client.call('replay.send', { id: before.id, masked: 'none' }), one]
}

/** Prints the differences; resolves with whether nothing differs that isn't ignored. */
export async function compare(
  output: Output,
  client: Client,
  [a, b]: readonly [string, string | undefined],
  { all, patch }: Pick<CompareOptions, 'all' | 'patch'>,
): Promise<boolean> {
  const sends = await sendsNamed(client, a, b)
  if (sends !== null && patch)
    throw new UsageError('--patch compares deliveries. Remove it to compare replays.')
  const read = (ref: string) => readSide(client, ref)
  const [left, right] =
    sends === null
      ? // A single delivery is the later one; its match comes first.
        await Promise.all([
          b === undefined ? likeliest(client, a).then(read) : read(a),
          read(b ?? a),
        ])
      : await Promise.all([sideOfSend(client, sends[0]), sideOfSend(client, sends[1])])
  const ids = new Set([left.deliveryId, right.deliveryId].filter((id) => id !== null))
  const sidesMask = createSidesMask(client, [...ids])
  const mask = sidesMask.values
  const [one, other] = [left.messages[''], right.messages['']]
  if (patch) {
    const [from, to] = [one?.text ?? null, other?.text ?? null]
    const operations = from === null || to === null ? null : comparePatch(from, to)
    if (operations === null)
      throw new AppError(
        'UNSUPPORTED',
        '--patch needs two JSON bodies. Compare these without --patch.',
      )
    // Split between operations, so that no message contains all of a large patch. Quotation marks in values are escaped there.
    const masked = await mask(operations.split(/(?<=\}),(?=\{"op":)/))
    output.lines(masked.join(',').split('\n'))
    return operations === '[]'
  }
  // Fields that differ between any two deliveries of a hook.
  const volatile = all
    ? nothingVolatile
    : (await client.call('compare.volatile', { hookId: right.hookId ?? left.hookId })).fields
  const parts = await Promise.all(
    Object.keys(left.messages).map(async (name) => {
      const [from = null, to = null] = [left.messages[name], right.messages[name]]
      const compared =
        from === null || to === null ? null : await compareMessages([from, to], volatile, sidesMask)
      return { name, compared, isSame: compared?.isSame ?? from === to }
    }),
  )
  const isSame = left.sent?.status === right.sent?.status && parts.every((part) => part.isSame)
  if (output.asJson) {
    const messages = parts.map(({ name, compared }) => {
      const json = compared && messagesJson(compared)
      return name === '' ? json : { [name]: json }
    })
    const [from, to] = [await mask(left.json), await mask(right.json)]
    output.json(Object.assign({ a: from, b: to, same: isSame }, ...messages))
    return isSame
  }
  output.lines([`--- ${left.title}`, `+++ ${right.title}`])
  if (left.sent !== undefined && right.sent !== undefined) {
    const words = [left.sent, right.sent].map(({ status, ms }) =>
      status === null ? 'no response' : responseWords(status, ms),
    )
    output.heading('Response')
    output.line(`  ${words.join(' | ')}`)
  }
  for (const { name, compared } of parts) {
    if (compared === null) output.lines(['', incomparable[name] ?? ''])
    else printMessages(output, compared, name)
    if (sends === null && compared?.body.isCut === true && compared.body.differs)
      output.note(
        `The body may have more differences than shown. ${compared.body.how === 'structure' ? 'Use --patch to see them all' : 'Write both bodies to files with "countersign show ID --body" and compare those'}.`,
      )
  }
  const [from, to] = [await mask(left.signed), await mask(right.signed)]
  if (from === null || to === null || one == null || other == null) return isSame
  output.heading('Signature inputs')
  const differs = await differenceWords([one, other], sidesMask)
  const sizes = [one, other].map(({ bytes }) => bytes.length.toLocaleString('en'))
  output.line(
    differs === null
      ? `  body: identical (${sizes[0] ?? ''} bytes)`
      : `  body: ${sizes.join(' | ')} bytes, ${differs}`,
  )
  for (const [title, name] of [
    ['URL', 'url'],
    ['timestamp', 'timestamp'],
    ['secret of hook', 'hookId'],
  ] as const) {
    const [its, others] = [from[name] ?? 'unknown', to[name] ?? 'unknown']
    output.line(`  ${title}: ${its === others ? `identical (${its})` : `${its} | ${others}`}`)
  }
  return isSame
}
