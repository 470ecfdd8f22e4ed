/**
 * `countersign verify`: verifies a request from its parts or a stored delivery, explains a digest, or writes a program that
 * verifies it.
 */
import { Option } from 'commander'
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  UsageError,
  withExistingData,
  withKeptData,
} from '../context.ts'
import { decompressed } from '../../core/signature/diagnosis/body-departures.ts'
import { verifyOffline } from '../../core/signature/verify-offline.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { SignatureReport, SignatureTrial } from '../../shared/model/signature.ts'
import { snippetLanguages } from '../../shared/snippets/languages.ts'
import { inlineBody, type Vector } from '../../shared/snippets/snippet.ts'
import {
  given,
  readFilled,
  readFilledDeliveryRef,
  readInstant,
  readOnce,
  readSeconds,
  addBodyOption,
  addSecretOptions,
  readBodyOption,
  readBodyAndSecret,
  readGivenSecret,
  type BodyOption,
  type SecretOptions,
} from '../arguments.ts'
import { wholeBody } from '../delivery-body.ts'
import { signatureJson, trialJson } from '../delivery-json.ts'
import { counted } from '../../shared/text/counted.ts'
import { printableText } from '../../shared/text/printable.ts'
import { readPasted, signedOf, verifyInput } from '../../shared/transfer/pasted-request.ts'
import {
  COPIED_CAVEAT,
  mayBeCopied,
  type PastedRequest,
} from '../../shared/transfer/pasted-text.ts'
import { computedLines, signatureLines } from '../signature-text.ts'

/** A copied request, verified. */
interface Copied {
  readonly report: SignatureReport
  readonly mayBeCopied: boolean
  readonly request: PastedRequest
}

interface VerifyOptions extends SecretOptions, BodyOption, DataOption {
  readonly url?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly delivery?: string
  readonly request?: string
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

/** Verifies a copied request with a given secret, without a data folder. The first body with a valid signature counts. */
async function verifyCopied(
  context: CommandContext,
  options: VerifyOptions,
  request: PastedRequest,
  secret: string,
): Promise<SignatureReport> {
  const url = options.url ?? request.url
  if (url === null)
    throw new UsageError("The request doesn't have a host. Add --url with the registered URL.")
  const { signature, timestamp } = signatureHeadersOf(request)
  const at = options.at ?? (request.at === null ? null : Date.parse(request.at))
  let first: SignatureReport | null = null
  for (const body of request.bodies) {
    const { report } = verifyOffline({
      body,
      secret,
      url,
      timestamp,
      signature,
      otherBodies: await decompressed(body, contentEncodings(request.headers)),
      at: at ?? context.now(),
      ...given({ maxAgeMs: options.maxAge }),
    })
    const isTimed = at !== null || options.maxAge !== undefined || report.freshness === 'missing'
    const timed: SignatureReport = isTimed
      ? report
      : { ...report, freshness: 'unknown', ageMs: null }
    if (timed.verdict === 'valid') return timed
    first ??= timed
  }
  if (first === null) throw new UsageError('The request has no body.')
  return first
}

/** Values of the headers that end like the service's, whatever their prefix. */
function signatureHeadersOf({ headers }: PastedRequest) {
  const ending = (end: string) =>
    orMissing(headers.find(([name]) => name.toLowerCase().endsWith(end))?.[1] ?? '')
  return { signature: ending('-signature'), timestamp: ending('-timestamp') }
}

async function readCopied(
  context: CommandContext,
  { request, secret }: VerifyOptions,
): Promise<readonly PastedRequest[]> {
  if (request === '-' && secret === '-')
    throw new UsageError("The secret and the request can't both come from standard input.")
  const bytes = await readBodyOption(context, { body: request ?? '-' })
  const pasted = readPasted(bytes)
  if ('refused' in pasted) throw new AppError('INVALID_INPUT', pasted.refused)
  const { requests, skipped } = signedOf(pasted.requests)
  if (skipped > 0)
    context.output.note(`Skipped ${counted(skipped, 'request')} without a signature header.`)
  return requests
}

/** Verifies copied requests: with a given secret, else with the hooks of the data folder. */
async function verifyRequests(context: CommandContext, options: VerifyOptions): Promise<Copied[]> {
  const requests = await readCopied(context, options)
  const secret = await readGivenSecret(context, options)
  if (secret !== undefined) {
    const reports: Copied[] = []
    for (const request of requests) {
      const report = await verifyCopied(context, options, request, secret)
      reports.push({ report, request, mayBeCopied: mayBeCopied(report) })
    }
    return reports
  }
  const { url, at } = options
  const found = await withExistingData(context, options, null, ({ client }) =>
    Promise.all(
      requests.map(async (request) => ({
        request,
        ...(await client.call('exchange.verify', {
          ...verifyInput(request),
          url,
          at: at === undefined ? null : new Date(at).toISOString(),
        })),
      })),
    ),
  )
  if (found === null) throw new UsageError("No hooks yet. Add --secret with the hook's secret.")
  return found
}

function printCopied(
  { output }: CommandContext,
  { json }: VerifyOptions,
  all: readonly Copied[],
): void {
  for (const { report, request, mayBeCopied: isCopied } of all) {
    if (json === true) {
      output.json({ ...signatureJson(report), request: `${request.method} ${request.path}` })
      continue
    }
    if (all.length > 1) output.heading(printableText(`${request.method} ${request.path}`))
    output.lines(signatureLines(output, report))
    if (isCopied) output.note(COPIED_CAVEAT)
    if (request.note !== null) output.note(request.note)
  }
}

/** Options that a copied request already answers. */
const ofRequest = ['timestamp', 'signature', 'body', 'delivery', 'computed', 'snippet'] as const

/** Options that a stored delivery already answers. */
const ofParts = ['timestamp', 'signature', 'body', 'at', 'maxAge'] as const

async function verifyStored(
  context: CommandContext,
  options: VerifyOptions,
  id: string,
): Promise<SignatureTrial> {
  const secret = await readGivenSecret(context, options)
  return withKeptData(context, options, `Delivery "${id}" not found`, async ({ client }) => {
    const delivery = await client.call('deliveries.get', { id })
    return client.call('deliveries.diagnose', {
      id: delivery.id,
      secret,
      url: options.url,
      computed: options.computed,
    })
  })
}

async function storedVector(
  context: CommandContext,
  options: VerifyOptions,
  id: string,
): Promise<Vector> {
  return withKeptData(context, options, `Delivery "${id}" not found`, async ({ client }) => {
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

export function add(command: Command, context: CommandContext): void {
  command
    .description(
      'Verify a request from its body, URL, timestamp and signature, a copied request, or a stored delivery. Explains what is wrong with an invalid signature.',
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
      'Verify a request copied as HTTP, curl or HAR, with the known hooks',
      'verify --request request.txt',
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
      '--request <file>',
      'verify a copied request: raw HTTP, curl, HAR, or headers and body; - for standard input',
      readFilled,
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
      if (options.request !== undefined) {
        const [answered] = ofRequest.filter((name) => options[name] !== undefined)
        if (answered !== undefined) throw new UsageError(`Use either --${answered} or --request.`)
        const all = await verifyRequests(context, options)
        printCopied(context, options, all)
        const isAllValid = all.every(({ report }) => isYes({ report, computed: null }, options))
        context.exit(isAllValid ? EXIT.done : EXIT.no)
        return
      }
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
        context.output.lines(signatureLines(context.output, trial.report))
        if (trial.computed !== null)
          context.output.lines(computedLines(context.output, trial.computed))
      }
      context.exit(isYes(trial, options) ? EXIT.done : EXIT.no)
    })
}
