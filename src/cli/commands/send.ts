/** `countersign send`: signs any bytes as the service does, sends them, and keeps the request. */
import { statSync } from 'node:fs'
import { MOST_BODY_BYTES, replayCommands } from '../../shared/contract/nouns/replay.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { byteSize } from '../../shared/text/english.ts'
import { defineCommand, JSON_LINES } from '../command.ts'
import { UsageError, withFilePath } from '../context.ts'
import { deliveriesByTime } from '../delivery-feed.ts'
import { localTimeText } from '../delivery-table.ts'
import { noteEndpoint } from '../endpoint-note.ts'
import { optionsOf } from '../options/field-options.ts'
import { argument, flagOption, nonBlankOption, parsedOption, textOption } from '../options/input.ts'
import { readNamedFile, readStandardInput, STANDARD_INPUT } from '../options/input-files.ts'
import { readGivenSecret } from '../options/secret-options.ts'
import { readHeaderLine } from '../options/value-readers.ts'
import { grey, right, type Cell } from '../print.ts'
import { printReplay, startCancellable } from '../replay-outcome.ts'
import { SENDING, type CommandRun } from '../session.ts'

const NAMED_SHOWN = 1_000

function namedCells({ name, event, bodySize, receivedAt, lastReplay, id }: Delivery): Cell[] {
  return [
    name ?? '',
    event ?? '-',
    right(byteSize(bodySize)),
    grey(localTimeText(receivedAt)),
    lastReplay === null ? 'not sent' : `${lastReplay.status ?? 'no response'} ${lastReplay.target}`,
    grey(id),
  ]
}

async function listNamed({ findData, output }: CommandRun): Promise<void> {
  const session = await findData('No named requests yet')
  if (session === null) return
  const search = { query: 'has:name', limit: NAMED_SHOWN, newestFirst: true }
  const requests = await deliveriesByTime(session.client, search)
  if (requests.length === 0)
    output.note('No named requests yet. Name one: countersign send FILE --name NAME')
  output.list(requests, namedCells)
}

function checkSize(bytes: number, source: string): void {
  if (bytes > MOST_BODY_BYTES)
    throw new UsageError(
      `${source} has ${byteSize(bytes)}. A request can have a body of up to ${byteSize(MOST_BODY_BYTES)}.`,
    )
}

async function readBody(run: CommandRun, file: string): Promise<Buffer> {
  if (file.startsWith('name:'))
    throw new UsageError(
      `${file} isn't a file. Send a request again with "countersign replay ${file}".`,
    )
  if (file !== STANDARD_INPUT) {
    try {
      checkSize(statSync(file).size, file)
    } catch (error) {
      throw withFilePath(error, file)
    }
  }
  const body = file === STANDARD_INPUT ? await readStandardInput(run) : readNamedFile(file)
  checkSize(body.length, file === STANDARD_INPUT ? 'Standard input' : file)
  return body
}

export const add = defineCommand({
  description:
    'Send the bytes of a file or of standard input to your endpoint, unchanged, signed like the service. The request is stored; lists leave it out unless the query has is:composed or name:NAME.',
  exits: { 1: 'the request is not acknowledged, or a forged one not rejected' },
  examples: [
    [
      'Send a body to your handler, signed by the hook of its event',
      'send body.json --event transaction.refund --to http://127.0.0.1:3000/webhooks',
    ],
    [
      'Name a request, and send it again',
      'send body.json --secret-file secret.txt --to http://127.0.0.1:3000/webhooks --name big-refund',
    ],
    ['Send a body with a wrong signature', 'send body.json --to @local --tamper secret'],
    ['List named requests', 'send --list'],
  ],
  json: JSON_LINES,
  args: { file: argument('[file]', 'file with the exact body, or - for standard input') },
  options: {
    ...optionsOf(replayCommands['replay.compose'].input),
    secret: textOption('<secret>', 'secret that signs; - reads it from standard input').conflicts(
      'secretFile',
      'hookId',
    ),
    secretFile: nonBlankOption('<file>', 'file with the secret').conflicts('hookId'),
    headers: parsedOption(
      "--header <'Name: value'>",
      "set a header, replacing the service's of its name (repeatable)",
      readHeaderLine,
    ),
    list: flagOption('list named requests instead'),
  },
  async run({ file, list, secretFile, headers = [], ...input }, run) {
    if (list) {
      if (file !== undefined) throw new UsageError('Use either a file or --list.')
      return listNamed(run)
    }
    if (file === undefined)
      throw new UsageError('Enter a file with the body, - for standard input, or --list.')
    if (file === STANDARD_INPUT && input.secret === STANDARD_INPUT)
      throw new UsageError(
        "The secret and the body can't both come from standard input. Use --secret-file.",
      )
    if (input.replace && input.name === undefined) throw new UsageError('--replace needs --name.')
    const secret = await readGivenSecret(run, { ...input, secretFile })
    const base64 = (await readBody(run, file)).toString('base64')
    const session = await run.openData(SENDING)
    const { client } = session
    const request = { ...input, headers, base64, ...(secret === undefined ? {} : { secret }) }
    const replay = await startCancellable((signal) =>
      client.call('replay.compose', request, { signal }),
    )
    const { to: target, handlerId } = replay
    await noteEndpoint(run, session, 'Sending to', { target, handlerId }, input.to)
    return printReplay(session, replay, run.output)
  },
})
