/** `countersign compare`: compares the bodies, headers and signature inputs of two deliveries, or two replays with their responses. */
import { MASK, MASKED_BEYOND, withMarks } from '../../shared/text/masked.ts'
import { contentEncodings, utf8Text } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/text/counted.ts'
import { compareStructure, compareText, headerRows } from '../../shared/diff/compare-bodies.ts'
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
import { wholeBody } from '../delivery-body.ts'
import { localTimeText } from '../delivery-table.ts'
import { pick, type Output } from '../print.ts'

const options = {
  all: toggle('compare IDs, times and signatures too'),
  includeSecrets: toggle('show credentials'),
}
type CompareOptions = ValuesOf<typeof options>

/** How many sends of a delivery are searched for the previous one. */
const MOST_SENDS = 200

/** The number of ignored fields to name. */
const MOST_IGNORED = 12

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

/** A message with numbered marks for its secrets, so that two different ones differ. */
interface MaskedMessage extends Pick<Message, 'bytes' | 'text' | 'headers'> {
  readonly hasSecrets: boolean
}

/** A delivery or a file, or a send with its status. */
interface Side {
  readonly title: string
  readonly deliveryId: string | null
  readonly hookId: string | null
  /** Its messages; null if one is missing. A delivery or file is a single one without a name. */
  readonly messages: Readonly<Record<string, Message | null>>
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
  const { id, deliveryId } = send
  const shown = await client.call('replay.send', { id })
  const { startedAt, target, status, ms } = shown
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
    json: pick(shown, 'id', 'deliveryId', 'target', 'startedAt', 'status', 'ms', 'error'),
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

/**
 * Words the position of the first difference; null if the bodies are equal. With secrets in them it
 * is left out: a position within a secret would tell how much of it is guessed.
 */
function differenceWords(left: MaskedMessage, right: MaskedMessage): string | null {
  const byte = firstDifference(left.bytes, right.bytes)
  if (byte === null) return null
  return left.hasSecrets || right.hasSecrets
    ? 'different'
    : `first difference at byte ${(byte + 1).toLocaleString('en')}`
}

/** Bytes that aren't text are equal or not. */
function byteRows(left: MaskedMessage, right: MaskedMessage): BodyRows {
  const note = differenceWords(left, right)
  const words = (side: MaskedMessage): DiffRow['left'] => {
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

/** Compares by structure if both bodies are JSON. */
function bodyRows(
  leftSide: MaskedMessage,
  rightSide: MaskedMessage,
  volatile: VolatileFields,
): BodyRows {
  const { text: left } = leftSide
  const { text: right } = rightSide
  if (left === null || right === null) return byteRows(leftSide, rightSide)
  const structure = compareStructure(left, right, volatile)
  if (structure.outcome === 'json') return { how: 'structure', ...structure }
  const text = compareText(left, right, false)
  // If the text is equal on both sides, only equal lines are left out.
  return { how: 'text', ...text, isCut: text.isCut && text.differs }
}

/** Characters searched for secrets per call. */
const PORTION = 1_000_000

/**
 * Returns a function that masks messages, also where they repeat header values of these deliveries.
 */
function createMasker(client: Client, ids: string[]) {
  const secrets: string[] = []
  const markOf = (secret: string) => {
    if (!secrets.includes(secret)) secrets.push(secret)
    return MASK.replace(']', ` ${secrets.indexOf(secret) + 1}]`)
  }
  async function maskText(text: string, isCut: boolean): Promise<string> {
    const parts: string[] = []
    for (let from = 0; from < text.length;) {
      const piece = text.slice(from, from + PORTION + MASKED_BEYOND)
      const isLast = from + piece.length === text.length
      const how = { ids, text: piece, isCut: isCut && isLast }
      const { places } = await client.call('exchange.places', how)
      const inside = places.filter(({ start }) => start < PORTION)
      const end = Math.max(PORTION, inside.at(-1)?.end ?? 0)
      parts.push(withMarks(piece, inside, end, markOf))
      from += end
    }
    return parts.join('')
  }
  return async ({ bytes, text, isCut, headers, shownHeaders }: Message): Promise<MaskedMessage> => {
    const content = text ?? Buffer.from(bytes).toString('latin1')
    const masked = await maskText(content, isCut)
    return {
      bytes,
      text: text === null ? null : masked,
      hasSecrets: masked !== content,
      headers:
        headers?.map(([, value], index): [string, string] => {
          const [name, shown] = shownHeaders?.[index] ?? ['', MASK]
          return [name, shown === value ? value : shown.replaceAll(MASK, markOf(value))]
        }) ?? null,
    }
  }
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
  /** Null if a side lacks headers. */
  readonly headers: readonly DiffRow[] | null
  readonly counts: { readonly body: DiffCounts; readonly headers: DiffCounts }
  readonly isSame: boolean
}

function compareMessages(
  left: MaskedMessage,
  right: MaskedMessage,
  volatile: VolatileFields,
): ComparedMessages {
  const body = bodyRows(left, right, volatile)
  const headers =
    left.headers === null || right.headers === null
      ? null
      : headerRows(left.headers, right.headers, volatile)
  const counts = { body: countRows(body.rows), headers: countRows(headers ?? []) }
  const isSame = !body.differs && differenceCount(counts.headers) === 0
  return { body, headers, counts, isSame }
}

function messagesJson({ body, headers, counts }: ComparedMessages) {
  return {
    body: {
      by: body.how,
      counts: counts.body,
      truncated: body.isCut,
      differences: differences(body.rows),
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
  { body, headers, counts }: ComparedMessages,
  name: string,
): void {
  for (const title of titles[name] ?? []) {
    const isBody = /body$/i.test(title)
    const rows = isBody ? body.rows : headers
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
  { all }: Pick<CompareOptions, 'all'>,
): Promise<boolean> {
  const sends = await sendsNamed(client, a, b)
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
  const mask = createMasker(client, [...ids])
  const pairs = await Promise.all(
    Object.keys(left.messages).map(async (name) => {
      const [from, to] = [left.messages[name], right.messages[name]]
      return { name, from: from && (await mask(from)), to: to && (await mask(to)) }
    }),
  )
  const { from: one, to: other } = pairs.find(({ name }) => name === '') ?? {}
  // Fields that differ between any two deliveries of a hook.
  const volatile = all
    ? nothingVolatile
    : (await client.call('compare.volatile', { hookId: right.hookId ?? left.hookId })).fields
  const parts = pairs.map(({ name, from = null, to = null }) => {
    const compared = from === null || to === null ? null : compareMessages(from, to, volatile)
    return { name, compared, isSame: compared?.isSame ?? from === to }
  })
  const isSame = left.sent?.status === right.sent?.status && parts.every((part) => part.isSame)
  if (output.asJson) {
    const messages = parts.map(({ name, compared }) => {
      const json = compared && messagesJson(compared)
      return name === '' ? json : { [name]: json }
    })
    output.json(Object.assign({ a: left.json, b: right.json, same: isSame }, ...messages))
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
        'The body may have more differences than shown. Write both bodies to files with "countersign show ID --body" and compare those.',
      )
  }
  const [from, to] = [left.signed, right.signed]
  if (from === null || to === null || one == null || other == null) return isSame
  output.heading('Signature inputs')
  const words = differenceWords(one, other)
  const sizes = [one, other].map(({ bytes }) => bytes.length.toLocaleString('en'))
  output.line(
    words === null
      ? `  body: identical (${sizes[0] ?? ''} bytes)`
      : `  body: ${sizes.join(' | ')} bytes, ${words}`,
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
