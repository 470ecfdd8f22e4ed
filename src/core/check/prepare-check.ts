/** Validates and admits a check before its first request. */
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { CheckResult, CheckSettings } from '../../shared/model/check.ts'
import {
  isShownEventType,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { checkHeaders } from '../../shared/service/header-rules.ts'
import { withOrigin } from '../../shared/service/hook-finding.ts'
import { counted } from '../../shared/text/english.ts'
import type { KnownSecrets } from '../../shared/text/mask.ts'
import type { Clock } from '../base/deps.ts'
import { checkPrefix } from '../hooks/environments.ts'
import { checkSigners, signerOf, type EventSigner } from '../hooks/event-signers.ts'
import { confirmLivePayloads, type Admission, type Admitted } from '../outgoing/admit.ts'
import { createPacer } from '../outgoing/send.ts'
import { readTarget } from '../outgoing/targets.ts'
import { secretKey } from '../signature/sign.ts'
import type { CaseDefinition } from './case-definition.ts'
import { maxCauseRequests } from './first-cause.ts'
import { makePayloads } from './payloads.ts'
import { createRequestFactory, type RequestFactory, type CheckRequest } from './requests.ts'
import { inapplicableReason, runCases, sendCheck } from './run-cases.ts'
import { selectCases } from './select-cases.ts'

export interface CheckInput extends Omit<
  CheckSettings,
  'headerNames' | 'registeredUrl' | 'events'
> {
  /** URL to sign instead of the signers' URLs or the target. */
  readonly registeredUrl: string | null
  /** Names of events; empty for all. */
  readonly events: readonly string[]
  readonly signers: readonly EventSigner[]
  /** Other prefixes that the handler may read. */
  readonly otherPrefixes: readonly string[]
  readonly consent: Consent
}

function readEvents(names: readonly string[]): readonly ShownEventType[] {
  return names.map((name) => {
    if (isShownEventType(name)) return name
    throw new AppError(
      'INVALID_INPUT',
      `The spec shows no payload for ${name}. Choose one of: ${shownEventTypes.join(', ')}.`,
    )
  })
}

/** Throws `INVALID_INPUT` for header names that break section 4.3. */
function checkHeaderNames({ signers, prefix }: Pick<CheckInput, 'signers' | 'prefix'>): void {
  checkPrefix(prefix)
  const [finding] = signers.flatMap(({ headers }) => checkHeaders(headers, prefix))
  if (finding !== undefined) throw new AppError('INVALID_INPUT', withOrigin(finding))
}

/** Adds the number of requests to `TARGET_NOT_ALLOWED`. */
function withRequestCount(error: unknown, requests: number, rate: number): unknown {
  if (!(error instanceof AppError) || error.code !== 'TARGET_NOT_ALLOWED') return error
  return new AppError(
    error.code,
    `${error.message} The check sends up to ${counted(requests, 'request')} at ${rate} per second.`,
    {
      details: { ...(error.details as object), requests },
    },
  )
}

interface PrepareDeps extends KnownSecrets {
  readonly clock: Clock
  readonly admission: Pick<Admission, 'admit'>
}

/**
 * Validates all input that needs no payloads. Throws `INVALID_INPUT` or `CONFIRMATION_REQUIRED`.
 */
function readInput(input: CheckInput) {
  const { signers, live, literals } = input
  const target = readTarget(input.target)
  if (signers.some(({ secret }) => secret === ''))
    throw new AppError('INVALID_INPUT', "The secret is empty. Enter the hook's secretKey.")
  checkHeaderNames(input)
  const cases = selectCases(input.only, input.skip)
  const events = readEvents(input.events)
  checkSigners(signers, events)
  confirmLivePayloads(events, live)
  if (literals['live'] === 'true' && !live)
    throw new AppError(
      'CONFIRMATION_REQUIRED',
      'These payloads would be marked live. To confirm, add --live, or leave out --set live=true.',
    )
  return { target, cases, events: events.length === 0 ? shownEventTypes : events }
}

/** Returns the maximum number of requests. */
function countRequests(cases: readonly CaseDefinition[], factory: RequestFactory): number {
  return cases
    .filter((definition) => inapplicableReason(definition, factory.settings) === null)
    .reduce(
      (sum, definition) =>
        sum +
        definition.requests(factory).length +
        (definition.expectedResponse === 'answer' ? 1 : 0),
      maxCauseRequests(factory),
    )
}

/** Check that is validated and admitted, ready to send. */
export interface PreparedCheck extends Pick<Admitted, 'createSender'> {
  readonly factory: RequestFactory
  readonly cases: readonly CaseDefinition[]
  /** Maximum number of requests. */
  readonly requests: number
  readonly secrets: readonly string[]
  /** Remote host that receives the requests, if any. */
  readonly otherHost: string | null
}

/** Rejects with `INVALID_INPUT`, `CONFIRMATION_REQUIRED` or `TARGET_NOT_ALLOWED`. */
export async function prepareCheck(deps: PrepareDeps, input: CheckInput): Promise<PreparedCheck> {
  const { clock, admission } = deps
  const { signers, consent, registeredUrl, otherPrefixes, ...rest } = input
  const { target, cases, events } = readInput(input)
  const urlOf = ({ url }: EventSigner) => registeredUrl ?? url ?? withScheme(input.target)
  const payloads = await makePayloads({ ...input, now: clock.now(), events })
  payloads.checkLiterals()
  const settings: CheckSettings = {
    ...rest,
    target: target.href,
    registeredUrl: urlOf(signerOf(signers, payloads.base)),
    events: [...events],
    headerNames: [...new Set(signers.flatMap(({ headers }) => Object.keys(headers)))],
  }
  const factory = createRequestFactory({
    payloads,
    settings,
    signers: signers.map((signer) => ({
      ...signer,
      key: secretKey(signer.secret),
      url: urlOf(signer),
    })),
    otherPrefixes: otherPrefixes.filter((prefix) => prefix !== input.prefix),
    now: () => clock.now(),
  })
  const requests = countRequests(cases, factory)
  const secrets = signers.map(({ secret }) => secret)
  const { otherHosts, createSender } = await admission
    .admit(
      {
        targets: [input.target],
        targetCa: input.targetCa,
        registeredUrl,
        signers: { hookIds: input.hookIds, secrets },
        what: 'checking with a live secret',
      },
      consent,
    )
    .catch((error: unknown) => {
      throw withRequestCount(error, requests, settings.rate)
    })
  return { factory, cases, requests, secrets, otherHost: otherHosts[0] ?? null, createSender }
}

/**
 * Sends all cases, or only the case `again.name`, judged by the stored first result. Resolves when
 * done or aborted.
 */
export async function runPrepared(
  { clock, mask }: PrepareDeps,
  { cases, factory, secrets, createSender }: PreparedCheck,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
  again?: { readonly name: string; readonly first: CheckResult | undefined },
): Promise<void> {
  const { settings } = factory
  const selected = again === undefined ? cases : cases.filter(({ name }) => name === again.name)
  if (again !== undefined && selected.length === 0)
    throw new AppError('NOT_FOUND', `This check has no case "${again.name}".`)
  // A dropped connection must affect no other request.
  const sender = createSender({ keepAlive: false })
  const sending = {
    factory,
    waitForTurn: createPacer(clock, settings.rate, signal),
    send: (request: CheckRequest) =>
      sendCheck({ clock, sender, settings, secrets, mask }, request, signal),
    signal,
  }
  try {
    await runCases(selected, again?.first, sending, onResult)
  } finally {
    await sender.close()
  }
}
