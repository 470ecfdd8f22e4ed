/** Judges the response of the developer's handler. */
import { timeWords } from '../../shared/flow-diagram/words.ts'
import type { FlowStepOf } from '../../shared/model/flow.ts'
import type { FlowCheck, FlowResponse } from '../../shared/model/flow-run.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { Arrival } from './arrivals.ts'
import type { RunContext } from './run-context.ts'
import {
  type StepResult,
  skipped,
  cancelledResult,
  failed,
  passed,
  valueCheck,
} from './step-result.ts'

const fixByFault: Readonly<Record<string, string>> = {
  'wrong-secret':
    'This delivery was signed with another secret. Compare the signatures and reject a mismatch (spec 5.2).',
  'single-pass':
    'This delivery was hashed once instead of twice. Compute the HMAC a second time, over the first result (spec 5.2).',
  'altered-body':
    'The body was changed after signing. Verify the signature over the raw bytes of the body (spec 5.2).',
  stale:
    'This delivery was signed ten minutes ago. Reject timestamps older than five minutes (spec 5.2).',
}

export async function runAnswerStep(
  index: number,
  step: FlowStepOf<'answer'>,
  context: RunContext,
): Promise<StepResult> {
  const { named, fault, signal } = context
  const arrival = named.get(step.to)
  const pendingResponse = arrival?.handlerResponse ?? null
  if (arrival === undefined || pendingResponse === null)
    return skipped(`Skipped: the delivery ${step.to} is missing.`)
  const response = await pendingResponse
  if (signal.aborted) return { ...cancelledResult, arrival }
  const { status, ms } = response
  const got =
    status === null
      ? (response.error ?? 'No response.')
      : `${status} after ${Math.round(ms ?? 0)} ms`
  const checks = checksOfAnswer(step, arrival, response, context)
  const result = { arrival, got, response, checks }
  if (status === null)
    return failed(
      `${noResponse[response.kind].sentence}: ${response.error ?? 'The connection ended.'}`,
      'Check that your handler runs at that URL and responds before it does slow work (spec 6.4).',
      { ...result, rule: 'response' },
    )
  if (step.accept) {
    context.hasAccepted ||= response.acknowledged
    return response.acknowledged
      ? passed(`Your handler returned ${got}.`, result)
      : failed(
          `Your handler returned ${status} for a valid delivery. Only ${acknowledgingStatus(context)} acknowledges it (spec 6.4).`,
          status === 401 || status === 403
            ? `Your handler considers the signature invalid. Compare the secret, the registered URL and the header name (${context.handler?.signatureHeader}) with your handler's, or open the delivery's Signature tab.`
            : "Check your handler's log for this delivery. The service would send it three times in all.",
          { ...result, rule: 'acknowledged' },
        )
  }
  if (!isRejecting(status))
    return failed(
      `Your handler returned ${status} for a delivery that it must reject.`,
      status >= 500
        ? "A rejection is a 4xx status, such as 401. Check your handler's log for this delivery."
        : (fixByFault[fault ?? ''] ??
            'Verify the signature and timestamp before anything else (spec 5.2).'),
      { ...result, rule: 'rejected' },
    )
  // A later step fails by itself if the handler rejects everything.
  const isProvenLater = context.flow.steps
    .slice(index + 1)
    .some((later) => later.kind === 'answer' && later.accept)
  return context.hasAccepted || isProvenLater
    ? passed(`Your handler rejected the delivery: ${got}.`, result)
    : failed(
        `Your handler returned ${status}, but it accepted no valid delivery in this flow, so this proves nothing.`,
        'Send a valid delivery first, with a step that expects your handler to accept it.',
        { ...result, rule: 'rejected' },
      )
}

const isRejecting = (status: number) => status >= 400 && status <= 499

const acknowledgingStatus = ({ environment }: RunContext) =>
  environment.ack === '2xx' ? 'a 2xx status' : '200'

const silentWords = { sentence: "Your handler didn't respond", short: 'no response' }

const noResponse: Readonly<Record<FlowResponse['kind'], typeof silentWords>> = {
  status: silentWords,
  timeout: silentWords,
  dropped: {
    sentence: 'Your handler closed the connection without a response',
    short: 'connection dropped',
  },
  unreachable: { sentence: "Couldn't reach your handler", short: 'unreachable' },
}

/** Lists the checks of a response, and the faults of a delivery that must be rejected. */
function checksOfAnswer(
  { accept }: FlowStepOf<'answer'>,
  { row }: Arrival,
  { status, ms, kind, acknowledged }: FlowResponse,
  context: RunContext,
): FlowCheck[] {
  const passes = accept ? acknowledged : status !== null && isRejecting(status)
  const expected = accept ? acknowledgingStatus(context) : '4xx'
  const actual = status === null ? noResponse[kind].short : String(status)
  const checks = [valueCheck('Status', { expected, actual, passes })]
  if (!accept && row.freshness !== 'fresh')
    checks.unshift(valueCheck('Timestamp', { expected: row.freshness, actual: row.freshness }))
  if (!accept && row.verdict !== 'valid')
    checks.unshift(valueCheck('Signature', { expected: row.verdict, actual: row.verdict }))
  if (ms !== null && (status !== null || kind === 'timeout')) {
    const limit = timeWords(ACKNOWLEDGE_TIMEOUT_MS)
    const isInTime = status !== null
    checks.push(
      valueCheck('Responds within', {
        expected: limit,
        actual: timeWords(ms),
        passes: isInTime,
        operator: isInTime ? '≥' : '<',
      }),
    )
  }
  return checks
}
