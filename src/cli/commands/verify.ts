/**
 * `countersign verify`: verifies a request from its parts or a stored delivery, explains a digest, or writes a program that
 * verifies it.
 */
import { Option } from 'commander'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { decompressed } from '../../core/signature/diagnosis/body-departures.ts'
import { verifyOffline } from '../../core/signature/verify-offline.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { SignatureTrial } from '../../shared/model/signature.ts'
import { snippetLanguages } from '../../shared/snippets/languages.ts'
import { inlineBody, type Vector } from '../../shared/snippets/snippet.ts'
import {
  given,
  readFilled,
  readFilledDeliveryRef,
  readInstant,
  readOnce,
  readSeconds,
} from '../arguments.ts'
import { wholeBody } from '../delivery-body.ts'
import { trialJson } from '../delivery-json.ts'
import { EXIT, UsageError } from '../failure.ts'
import {
  addBodyOption,
  addSecretOptions,
  readBodyOption,
  readBodyAndSecret,
  readTriedSecret,
  type BodyOption,
  type SecretOptions,
} from '../inputs.ts'
import { noDataYet, withExistingData } from '../session.ts'
import { computedLines, signatureLines } from '../signature-text.ts'

interface VerifyOptions extends SecretOptions, BodyOption, DataOption {
  readonly url?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly delivery?: string
  readonly computed?: string
  readonly snippet?: string
  readonly at?: number
  readonly maxAge?: number
  readonly json?: true
}

/** An empty header counts as missing. */
function orMissing(text: string): string | null {
  return text === '' ? null : text
}

function needed(options: VerifyOptions, name: 'url' | 'timestamp' | 'signature'): string {
  const value = options[name]
  if (value === undefined)
    throw new UsageError(
      `--${name} is missing. Add it, or use --delivery ID for a stored delivery.`,
    )
  return value
}

async function verifyParts(
  context: CommandContext,
  options: VerifyOptions,
): Promise<SignatureTrial> {
  const [url, timestamp] = [needed(options, 'url'), needed(options, 'timestamp')]
  const signature =
    options.computed === undefined ? needed(options, 'signature') : (options.signature ?? '')
  if (options.computed !== undefined && timestamp === '')
    throw new UsageError(
      '--computed needs a timestamp. Add --timestamp with the value of the header.',
    )
  const { body, secret } = await readBodyAndSecret(context, options)
  return verifyOffline({
    body,
    secret,
    url,
    timestamp: orMissing(timestamp),
    signature: orMissing(signature),
    otherBodies: await decompressed(body, []),
    at: options.at ?? context.now(),
    ...given({ maxAgeMs: options.maxAge, computed: options.computed?.trim() }),
  })
}

/** Options that a stored delivery already answers. */
const ofParts = ['timestamp', 'signature', 'body', 'at', 'maxAge'] as const

function notStored(id: string, dataFolder: string): AppError {
  return new AppError('NOT_FOUND', noDataYet(`Delivery "${id}" not found`, dataFolder))
}

async function verifyStored(
  context: CommandContext,
  options: VerifyOptions,
  id: string,
): Promise<SignatureTrial> {
  const secret = await readTriedSecret(context, options)
  const dataFolder = dataFolderOf(context, options)
  const trial = await withExistingData(context, dataFolder, async ({ client }) => {
    const delivery = await client.call('deliveries.get', { id })
    return client.call('deliveries.diagnose', {
      id: delivery.id,
      secret,
      url: options.url,
      computed: options.computed,
    })
  })
  if (trial === null) throw notStored(id, dataFolder)
  return trial
}

async function storedVector(
  context: CommandContext,
  options: VerifyOptions,
  id: string,
): Promise<Vector> {
  const dataFolder = dataFolderOf(context, options)
  const vector = await withExistingData(context, dataFolder, async ({ client }) => {
    const delivery = await client.call('deliveries.get', { id })
    const { report } = await client.call('deliveries.diagnose', {
      id: delivery.id,
      url: options.url,
    })
    const { url, timestamp, received } = report
    if (url === null || timestamp === null || received === null)
      throw new AppError(
        'INVALID_INPUT',
        'This delivery has no signature, timestamp or known URL, so no program can verify it.',
      )
    const bodyBase64 = inlineBody(await wholeBody(client, delivery.id))
    return { bodyBase64, url, timestamp, signature: received }
  })
  if (vector === null) throw notStored(id, dataFolder)
  return vector
}

async function partsVector(context: CommandContext, options: VerifyOptions): Promise<Vector> {
  const [url, timestamp, signature] = [
    needed(options, 'url'),
    needed(options, 'timestamp'),
    needed(options, 'signature'),
  ]
  return {
    bodyBase64: inlineBody(await readBodyOption(context, options)),
    url,
    timestamp,
    signature,
  }
}

async function writeSnippet(context: CommandContext, options: VerifyOptions): Promise<void> {
  const language = snippetLanguages.find(({ id }) => id === options.snippet)
  const { delivery } = options
  const vector =
    delivery === undefined
      ? await partsVector(context, options)
      : await storedVector(context, options, delivery)
  await context.output.bytes(Buffer.from(language?.write(vector) ?? ''))
}

function isYes({ report, computed }: SignatureTrial, { maxAge }: VerifyOptions): boolean {
  if (computed !== null) return computed.outcome === 'right'
  return (
    report.verdict === 'valid' &&
    report.verifiedHere &&
    (maxAge === undefined || report.freshness === 'fresh')
  )
}

export function addVerify(command: Command, context: CommandContext): void {
  command
    .description(
      'Verify a request from its body, URL, timestamp and signature, or a stored delivery. Explains what is wrong with an invalid signature.',
    )
    .exitsWith(
      1,
      'the signature is invalid, is older than --max-age or was not verified here, or if the --computed digest is wrong',
    )
    .example(
      'Verify a request',
      'verify --url https://example.com/hooks --timestamp "$TIMESTAMP" --signature "$SIGNATURE" --secret-file secret.txt --body body.json',
    )
    .example(
      'Find the mistake in a digest that your code computed',
      'verify --delivery latest --computed "$DIGEST"',
      {
        exits: 1,
      },
    )
    .example(
      'Write a Python program that verifies a delivery',
      'verify --delivery latest --snippet python > verify.py',
    )
    .option('--url <url>', 'registered URL of the hook, exactly as registered', readFilled)
    .option(
      '--timestamp <timestamp>',
      "value of the timestamp header; '' if it was missing",
      readOnce,
    )
    .option(
      '--signature <signature>',
      "value of the signature header; '' if it was missing",
      readOnce,
    )
    .option(
      '--delivery <id>',
      'verify a stored delivery; --secret and --url are tried on it',
      readFilledDeliveryRef,
    )
    .option(
      '--computed <digest>',
      'explain a digest that your own code computed for this request',
      readFilled,
    )
    .addOption(
      new Option('--snippet <language>', 'write a program that verifies this request').choices(
        snippetLanguages.map(({ id }) => id),
      ),
    )
  addBodyOption(addSecretOptions(command))
    .option('--at <time>', 'time received (default: now)', readInstant)
    .option('--max-age <seconds>', 'also require the request to be no older than this', readSeconds)
    .printsJson()
    .run(async (options: VerifyOptions) => {
      const { delivery } = options
      const [known] =
        delivery === undefined ? [] : ofParts.filter((name) => options[name] !== undefined)
      if (known !== undefined)
        throw new UsageError(
          `Use either --${known === 'maxAge' ? 'max-age' : known} or --delivery.`,
        )
      if (options.snippet !== undefined) {
        if (options.computed !== undefined || options.json === true)
          throw new UsageError('Use --snippet without --computed and --json.')
        await writeSnippet(context, options)
        return
      }
      const trial =
        delivery === undefined
          ? await verifyParts(context, options)
          : await verifyStored(context, options, delivery)
      if (options.json === true) context.output.json(trialJson(trial))
      else {
        for (const line of signatureLines(context.output, trial.report)) context.output.line(line)
        if (trial.computed !== null)
          for (const line of computedLines(context.output, trial.computed))
            context.output.line(line)
      }
      context.exit(isYes(trial, options) ? EXIT.done : EXIT.no)
    })
}
