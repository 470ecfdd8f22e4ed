/** `countersign compare`: compares two deliveries, or two replays with their responses. */
import { nothingVolatile } from '../../shared/diff/volatile-fields.ts'
import { responseWords } from '../../shared/model/outcomes.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../context.ts'
import { argument, flagOption, type ValuesOf } from '../options/input.ts'
import { readDeliveryRef } from '../options/delivery-arguments.ts'
import type { Output } from '../print.ts'
import {
  findClosestMatch,
  readSide,
  findSendPair,
  readSendSide,
  type ComparedSide,
} from '../compared-sides.ts'
import { createMasker, type MaskedMessage } from '../message-masker.ts'
import {
  compareMessages,
  differenceWords,
  messagesJson,
  printMessages,
} from '../compared-messages.ts'

const options = {
  all: flagOption('compare IDs, times and signatures too'),
  includeSecrets: flagOption('show credentials'),
}
type CompareOptions = ValuesOf<typeof options>

const incomparable: Readonly<Record<string, string>> = {
  response: "Couldn't compare the responses: one is missing.",
  request: "Couldn't compare the requests: one wasn't sent or isn't stored.",
}

const B_HELP =
  'what to compare it with (default: the closest match, such as the previous delivery of its event or the previous replay)'

export const add = defineCommand({
  description:
    'Compare two deliveries, a delivery and a file, or two replays with their responses.',
  exits: { 1: 'anything differs that is not ignored' },
  examples: [
    [
      'Compare the latest delivery with the closest earlier one',
      'compare latest',
      { exits: EXIT.negative },
    ],
    [
      'Compare everything, including IDs and times',
      'compare latest~1 latest --all',
      { exits: EXIT.negative },
    ],
  ],
  args: {
    a: argument(
      '<a>',
      'delivery ID (8 or more characters), latest, latest~N, latest:EVENT or @FILE; or the ID of a replay or send',
      readDeliveryRef,
    ),
    b: argument('[b]', B_HELP, readDeliveryRef),
  },
  options,
  async run({ a, b, ...compareOptions }, { needData, output }) {
    const { client } = await needData('Nothing to compare')
    const { isSame } = await compare(output, client, [a, b], compareOptions)
    return isSame ? EXIT.done : EXIT.negative
  },
})

/** Prints the differences. Resolves with the deliveries, and whether all is the same. */
export async function compare(
  output: Output,
  client: Client,
  [a, b]: readonly [string, string | undefined],
  { all }: Pick<CompareOptions, 'all'>,
): Promise<{ readonly isSame: boolean; readonly deliveryIds: readonly string[] }> {
  const sends = await findSendPair(client, a, b)
  const read = (ref: string) => readSide(client, ref)
  const [left, right] =
    sends === null
      ? // A single delivery is the later one; its match comes first.
        await Promise.all([
          b === undefined ? findClosestMatch(client, a).then(read) : read(a),
          read(b ?? a),
        ])
      : await Promise.all([readSendSide(client, sends[0]), readSendSide(client, sends[1])])
  const ids = [left.deliveryId, right.deliveryId].filter((id) => id !== null)
  const deliveryIds = [...new Set(ids)]
  const mask = createMasker(client, deliveryIds)
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
    return { isSame, deliveryIds }
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
  if (one != null && other != null) printSignatureInputs(output, [left, right], [one, other])
  return { isSame, deliveryIds }
}

function printSignatureInputs(
  output: Output,
  [{ signed: from }, { signed: to }]: readonly [ComparedSide, ComparedSide],
  [one, other]: readonly [MaskedMessage, MaskedMessage],
): void {
  if (from === null || to === null) return
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
    const [left, right] = [from[name] ?? 'unknown', to[name] ?? 'unknown']
    output.line(`  ${title}: ${left === right ? `identical (${left})` : `${left} | ${right}`}`)
  }
}
