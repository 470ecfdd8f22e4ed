/** `countersign verify`: verifies requests or deliveries, or explains a digest. */
import { decompressBody } from '../../core/signature/diagnosis/decompress-body.ts'
import { verifyOffline } from '../../core/signature/verify-offline.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { SignatureReport, SignatureTrial } from '../../shared/model/signature.ts'
import { snippetLanguages } from '../../shared/snippets/languages.ts'
import { inlineBody, snippetOf, type Vector } from '../../shared/snippets/snippet.ts'
import { counted } from '../../shared/text/english.ts'
import { readPasted, verifyInput } from '../../shared/pasted/pasted-request.ts'
import {
  COPIED_CAVEAT,
  mayBeCopied,
  type PastedRequest,
} from '../../shared/pasted/pasted-result.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError, type ExitCode } from '../context.ts'
import { wholeBody } from '../delivery-body.ts'
import { signatureJson, trialJson } from '../signature-json.ts'
import {
  choiceOption,
  nonBlankOption,
  omitUndefined,
  textOption,
  parsedOption,
  type ValuesOf,
} from '../options/input.ts'
import { readBodyAndSecret, readBodyOption, bodyOption } from '../options/body-option.ts'
import { readGivenSecret, secretOptions } from '../options/secret-options.ts'
import { readFilledDeliveryRef } from '../options/delivery-arguments.ts'
import { readInstant, readSeconds } from '../options/value-readers.ts'
import type { Output } from '../print.ts'
import type { CommandRun } from '../session.ts'
import { computedLines, hookText, signatureLines } from '../signature-text.ts'

/** Options that `--delivery` excludes. */
const partOptions = ['timestamp', 'signature', 'body', 'at', 'maxAge'] as const
/** Options that `--request` excludes. */
const requestConflicts = [
  'timestamp',
  'signature',
  'body',
  'delivery',
  'computed',
  'snippet',
] as const

const options = {
  url: nonBlankOption('<url>', 'registered URL of the hook, exactly as registered'),
  timestamp: textOption('<timestamp>', "value of the timestamp header; '' if it was missing"),
  signature: textOption('<signature>', "value of the signature header; '' if it was missing"),
  delivery: parsedOption(
    '<id>',
    'verify a stored delivery; --secret and --url are tried on it',
    readFilledDeliveryRef,
  ).conflicts(...partOptions),
  request: nonBlankOption(
    '<file>',
    'verify a copied request: raw HTTP, a curl or PowerShell command, JSON, or headers and body; - for standard input',
  ).conflicts(...requestConflicts),
  computed: nonBlankOption(
    '<digest>',
    'explain a digest that your own code computed for this request',
  ),
  snippet: choiceOption(
    '<language>',
    'write a program that verifies this request',
    snippetLanguages.map(({ id }) => id),
  ),
  ...secretOptions,
  ...bodyOption,
  at: parsedOption('<time>', 'time received (default: now)', readInstant),
  maxAge: parsedOption(
    '<seconds>',
    'also require the request to be no older than this',
    readSeconds,
  ),
}
type VerifyOptions = ValuesOf<typeof options>

interface CopiedReport {
  readonly report: SignatureReport
  readonly event: string | null
  readonly mayBeCopied: boolean
  readonly request: PastedRequest
}

function orMissing(text: string): string | null {
  return text === '' ? null : text
}

function requiredOption(values: VerifyOptions, name: 'url' | 'timestamp' | 'signature'): string {
  const value = values[name]
  if (value === undefined)
    throw new UsageError(
      `--${name} is missing. Add it, or use --delivery ID for a stored delivery.`,
    )
  return value
}

async function verifyParts(run: CommandRun, values: VerifyOptions): Promise<SignatureTrial> {
  const [url, timestamp] = [requiredOption(values, 'url'), requiredOption(values, 'timestamp')]
  const signature =
    values.computed === undefined ? requiredOption(values, 'signature') : (values.signature ?? '')
  if (values.computed !== undefined && timestamp === '')
    throw new UsageError(
      '--computed needs a timestamp. Add --timestamp with the value of the header.',
    )
  const { body, secret } = await readBodyAndSecret(run, values)
  return verifyOffline({
    body,
    secret,
    url,
    timestamp: orMissing(timestamp),
    signature: orMissing(signature),
    otherBodies: await decompressBody(body, []),
    at: values.at ?? run.now(),
    ...omitUndefined({ maxAgeMs: values.maxAge, computed: values.computed?.trim() }),
  })
}

/**
 * Verifies a copied request without a data folder. The first body with a valid signature counts.
 */
async function verifyCopied(
  run: CommandRun,
  values: VerifyOptions,
  request: PastedRequest,
  secret: string,
): Promise<SignatureReport> {
  const url = values.url ?? request.url
  if (url === null)
    throw new UsageError("The request doesn't have a host. Add --url with the registered URL.")
  const { signature, timestamp } = signatureHeadersOf(request)
  const at = values.at ?? (request.at === null ? null : Date.parse(request.at))
  let first: SignatureReport | null = null
  for (const body of request.bodies) {
    const { report } = verifyOffline({
      body,
      secret,
      url,
      timestamp,
      signature,
      otherBodies: await decompressBody(body, contentEncodings(request.headers)),
      at: at ?? run.now(),
      ...omitUndefined({ maxAgeMs: values.maxAge }),
    })
    const isTimed = at !== null || values.maxAge !== undefined || report.freshness === 'missing'
    const timed: SignatureReport = isTimed
      ? report
      : { ...report, freshness: 'unknown', ageMs: null }
    if (timed.verdict === 'valid') return timed
    first ??= timed
  }
  if (first === null) throw new UsageError('The request has no body.')
  return first
}

/** Returns the only event that a copied body can be; null if there are several. */
async function eventOf({ bodies: [body] }: PastedRequest): Promise<string | null> {
  // Loaded on demand: schemas load slowly.
  const { guessEvents } = await import('../../shared/service/payload.ts')
  const [event = null, another] = body === undefined ? [] : guessEvents(body)
  return another === undefined ? event : null
}

/** Returns values of the headers that end like the service's, whatever their prefix. */
function signatureHeadersOf({ headers }: PastedRequest) {
  const ending = (end: string) =>
    orMissing(headers.find(([name]) => name.toLowerCase().endsWith(end))?.[1] ?? '')
  return { signature: ending('-signature'), timestamp: ending('-timestamp') }
}

async function readCopied(
  run: CommandRun,
  { request, secret }: VerifyOptions,
): Promise<readonly PastedRequest[]> {
  if (request === '-' && secret === '-')
    throw new UsageError("The secret and the request can't both come from standard input.")
  const bytes = await readBodyOption(run, { body: request ?? '-' })
  const pasted = readPasted(bytes)
  if ('refused' in pasted) throw new AppError('INVALID_INPUT', pasted.refused)
  if (pasted.skipped > 0)
    run.output.note(`Skipped ${counted(pasted.skipped, 'request')} without a signature header.`)
  return pasted.requests
}

/** Verifies copied requests with a given secret, else with the hooks of the data folder. */
async function verifyRequests(run: CommandRun, values: VerifyOptions): Promise<CopiedReport[]> {
  const requests = await readCopied(run, values)
  const secret = await readGivenSecret(run, values)
  if (secret !== undefined) {
    const reports: CopiedReport[] = []
    for (const request of requests) {
      const report = await verifyCopied(run, values, request, secret)
      const event = await eventOf(request)
      reports.push({ report, event, request, mayBeCopied: mayBeCopied(report) })
    }
    return reports
  }
  const { url, at } = values
  const session = await run.findData(null)
  if (session === null) throw new UsageError("No hooks yet. Add --secret with the hook's secret.")
  const time = at === undefined ? null : new Date(at).toISOString()
  return Promise.all(
    requests.map(async (request) => ({
      request,
      ...(await session.client.call('exchange.verify', { ...verifyInput(request), url, at: time })),
    })),
  )
}

const hookFact = (report: SignatureReport) =>
  ['hook', report.hookId && hookText({ ...report, url: null })] as const

function printCopied(output: Output, all: readonly CopiedReport[]): void {
  for (const { report, event, request, mayBeCopied: isCopied } of all) {
    const line = `${request.method} ${request.path}`
    const { hookId } = report
    output.result({ ...signatureJson(report), hookId, event, request: line }, () => {
      if (all.length > 1) output.heading(line)
      const about = [['event', event] as const, hookFact(report)]
      output.lines(signatureLines(output, report, 'request', about))
      if (isCopied) output.note(COPIED_CAVEAT)
      if (request.note !== null) output.note(request.note)
    })
  }
}

/** Verifies a stored delivery, with another secret, URL or digest if given. */
async function verifyStored(
  run: CommandRun,
  { url, computed }: Partial<VerifyOptions>,
  id: string,
  secret?: string,
) {
  const { client } = await run.needData(`Delivery "${id}" not found`)
  const delivery = await client.call('deliveries.get', { id })
  const diagnosisInput = { id: delivery.id, secret, url, computed }
  return { client, delivery, trial: await client.call('deliveries.diagnose', diagnosisInput) }
}

async function storedVector(run: CommandRun, values: VerifyOptions, id: string): Promise<Vector> {
  const { client, delivery, trial } = await verifyStored(run, { url: values.url }, id)
  const { url, timestamp, received } = trial.report
  if (url === null || timestamp === null || received === null)
    throw new AppError(
      'INVALID_INPUT',
      'This delivery has no signature, timestamp or known URL, so no program can verify it.',
    )
  const bodyBase64 = inlineBody(await wholeBody(client, delivery.id))
  return { bodyBase64, url, timestamp, signature: received }
}

async function partsVector(run: CommandRun, values: VerifyOptions): Promise<Vector> {
  const signed = {
    url: requiredOption(values, 'url'),
    timestamp: requiredOption(values, 'timestamp'),
    signature: requiredOption(values, 'signature'),
  }
  return { ...signed, bodyBase64: inlineBody(await readBodyOption(run, values)) }
}

async function writeSnippet(run: CommandRun, values: VerifyOptions): Promise<void> {
  const language = snippetLanguages.find(({ id }) => id === values.snippet)
  const { delivery } = values
  const vector =
    delivery === undefined
      ? await partsVector(run, values)
      : await storedVector(run, values, delivery)
  await run.output.bytes(Buffer.from(language === undefined ? '' : snippetOf(language, vector)))
}

function isAccepted({ report, computed }: SignatureTrial, { maxAge }: VerifyOptions): boolean {
  if (computed !== null) return computed.outcome === 'right'
  return (
    report.verdict === 'valid' &&
    report.verifiedHere &&
    (maxAge === undefined || report.freshness === 'fresh')
  )
}

async function verifyOne(run: CommandRun, values: VerifyOptions): Promise<ExitCode> {
  const { delivery } = values
  const stored =
    delivery === undefined
      ? null
      : await verifyStored(run, values, delivery, await readGivenSecret(run, values))
  const trial = stored?.trial ?? (await verifyParts(run, values))
  const verified = stored === null ? 'parts' : { delivery: stored.delivery.id }
  const { output } = run
  output.result(trialJson(trial), () => {
    output.lines(signatureLines(output, trial.report, verified, [hookFact(trial.report)]))
    if (trial.computed !== null) output.lines(computedLines(output, trial.computed))
  })
  return isAccepted(trial, values) ? EXIT.done : EXIT.negative
}

export const add = defineCommand({
  description:
    'Verify a request from its body, URL, timestamp and signature, a copied request, or a stored delivery. Explains what is wrong with an invalid signature.',
  exits: {
    1: 'the signature is invalid, is older than --max-age or was not verified here, or if the --computed digest is wrong',
  },
  examples: [
    [
      'Verify a request',
      'verify --url https://example.com/hooks --timestamp "$TIMESTAMP" --signature "$SIGNATURE" --secret-file secret.txt --body body.json',
    ],
    [
      'Verify a request copied as HTTP, curl or HAR, with the known hooks',
      'verify --request request.txt',
    ],
    [
      'Find the mistake in a digest that your code computed',
      'verify --delivery latest --computed "$DIGEST"',
      { exits: EXIT.negative },
    ],
    [
      'Write a Python program that verifies a delivery',
      'verify --delivery latest --snippet python > verify.py',
    ],
  ],
  options,
  async run(values, run) {
    if (values.request !== undefined) {
      const all = await verifyRequests(run, values)
      printCopied(run.output, all)
      const isAllValid = all.every(({ report }) => isAccepted({ report, computed: null }, values))
      return isAllValid ? EXIT.done : EXIT.negative
    }
    if (values.snippet === undefined) return verifyOne(run, values)
    if (values.computed !== undefined || run.output.asJson)
      throw new UsageError('Use --snippet without --computed and --json.')
    await writeSnippet(run, values)
    return EXIT.done
  },
})
