/**
 * Verifies a request that was copied from elsewhere, and stores it on request as reported: it is
 * never forwarded or counted as an attempt.
 */
import { hash } from 'node:crypto'
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { BLANK_DELIVERY, IMPORTED_PREFIX, type Delivery } from '../../shared/model/delivery.ts'
import type { SignatureTrial } from '../../shared/model/signature.ts'
import { guessEvents } from '../../shared/service/payload.ts'
import { isRequestTarget, mayBeCopied } from '../../shared/pasted/pasted-result.ts'
import { hookColumns } from '../hooks/registry.ts'
import { tryEvidence, evidenceOf, type Evidence } from './explain-signature.ts'
import type { Services } from './services.ts'

/** Maximum wait for a kept request's description, in milliseconds. */
const SETTLED_PATIENCE_MS = 10_000

type Input = ParsedInputOf<'exchange.verify'>

/** Judges the first body whose signature is valid, else the body as copied. */
async function judge(services: Services, input: Input, receivedAt: number, signal: AbortSignal) {
  const { request, secret, url } = input
  let first: { readonly evidence: Evidence; readonly trial: SignatureTrial } | null = null
  for (const base64 of request.bodies) {
    const body = Buffer.from(base64, 'base64')
    const delivery: Delivery = {
      ...BLANK_DELIVERY,
      origin: 'reported',
      receivedAt: new Date(receivedAt).toISOString(),
      method: request.method,
      path: request.path,
      headers: request.headers,
      bodySize: body.length,
      bodySha256: hash('sha256', body, 'hex'),
    }
    const { freshness } = await services.registry.judge(
      request.path,
      request.headers,
      body,
      receivedAt,
    )
    const isTimed = (input.at ?? request.at) !== null || freshness === 'missing'
    const evidence = await evidenceOf(
      services,
      { ...delivery, freshness: isTimed ? freshness : 'unknown' },
      body,
    )
    const trial = await tryEvidence(
      services,
      evidence,
      { secret, url: url ?? (secret === undefined ? undefined : (request.url ?? undefined)) },
      signal,
    )
    if (trial.report.verdict === 'valid') return { evidence, trial }
    first ??= { evidence, trial }
  }
  if (first === null) throw new AppError('INVALID_INPUT', 'The request has no body to verify.')
  return first
}

export async function verifyReported(
  services: Services,
  input: Input,
  signal: AbortSignal,
): Promise<OutputOf<'exchange.verify'>> {
  const { request } = input
  if (!isRequestTarget(request.path))
    throw new AppError('INVALID_INPUT', "The request's path has a line break or control character.")
  const at = input.at ?? request.at
  const receivedAt = at === null ? services.now() : Date.parse(at)
  const { evidence, trial } = await judge(services, input, receivedAt, signal)
  const { report } = trial
  const hook = report.hookId === null ? undefined : services.registry.byId(report.hookId)
  const proved = report.verdict === 'valid' && hook !== undefined
  const guessed = guessEvents(evidence.body)
  const event = proved ? hook.event : guessed.length === 1 ? (guessed[0] ?? null) : null
  return {
    report,
    event,
    mayBeCopied: mayBeCopied(report),
    delivery: input.keep ? await keep() : null,
  }

  async function keep(): Promise<string> {
    const { delivery, body } = evidence
    const id = services.ids.next()
    const seq = await services.store.capture({
      row: {
        id,
        receivedAt,
        method: request.method,
        path: request.path,
        malformed: null,
        httpVersion: '1.1',
        headers: JSON.stringify(request.headers),
        trailers: null,
        bodySize: body.length,
        bodySha256: delivery.bodySha256,
        truncated: false,
        remote: `${IMPORTED_PREFIX}reported`,
        event: proved ? hook.event : null,
        eventSource: proved ? 'hook' : null,
        ...hookColumns(hook),
        verdict: report.verdict,
        freshness: report.freshness,
        notificationKey: null,
        replayOf: null,
        origin: 'reported',
      },
      body,
    })
    // A secret or URL that was only tried explains nothing that is stored.
    if (input.secret !== undefined || input.url !== undefined) services.causes.wake()
    else if (report.verdict === 'invalid') await services.causes.found(seq, report)
    await services.store.settled(SETTLED_PATIENCE_MS)
    services.announce(seq)
    return id
  }
}
