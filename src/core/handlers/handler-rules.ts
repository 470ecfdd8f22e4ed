/** Rules for changing saved handlers, and for showing them. */
import { AppError } from '../../shared/contract/errors.ts'
import { handlerNameIn, withScheme } from '../../shared/http.ts'
import type { HandlerCheckRun, HandlerUpdate, SavedHandler } from '../../shared/model/handler.ts'
import { isCertificate } from '../hooks/environment-rules.ts'
import { invalidField, readTarget } from '../outgoing/targets.ts'
import type { StoredHandler } from '../store/handlers.ts'

/** Maximum number of checks kept per handler. */
const MAX_CHECKS = 10

/** Applies a change; `sealed` is its secret, or null. Throws `INVALID_INPUT`. */
export function changedHandler(
  before: StoredHandler,
  { name, url, registeredUrl, hookId, secret, prefix, targetCa }: HandlerUpdate,
  sealed: StoredHandler['secret'],
): StoredHandler {
  return {
    ...before,
    name: name ?? before.name,
    ...(url === undefined ? {} : readUrl(url)),
    registeredUrl: registeredUrl === undefined ? before.registeredUrl : registeredUrl,
    // A hook replaces an own secret, and the other way round.
    hookId: sealed !== null ? null : hookId === undefined ? before.hookId : hookId,
    secret: sealed ?? (secret === null || typeof hookId === 'string' ? null : before.secret),
    prefix: prefix === undefined ? before.prefix : prefix,
    targetCa: targetCa === undefined ? before.targetCa : readCa(targetCa),
  }
}

export function toSavedHandler(handler: StoredHandler, hasSecret: boolean): SavedHandler {
  const { id, name, url, registeredUrl, hookId, prefix, targetCa, isCurrent: current } = handler
  const lastCheck = shownCheck(handler.checks.at(-1))
  return { id, name, url, registeredUrl, hookId, hasSecret, prefix, targetCa, current, lastCheck }
}

/** Throws `INVALID_INPUT` if there is a problem: what happened to the handler's hook. */
export function refuseDeletedHook({ name }: StoredHandler, problem: string | null): void {
  if (problem === null) return
  throw new AppError(
    'INVALID_INPUT',
    `The hook of handler "${name}" ${problem}. Choose another hook for it, or enter its secret.`,
  )
}

/** Reads a handler's URL. Throws `INVALID_INPUT`. */
function readUrl(text: string): Pick<StoredHandler, 'url' | 'target'> {
  if (handlerNameIn(text) !== null)
    throw invalidField('url', "A handler's URL can't be another handler. Enter its URL.")
  return { url: withScheme(text), target: readTarget(text).href }
}

function readCa(pem: string | null): string | null {
  if (pem !== null && !isCertificate(pem))
    throw invalidField(
      'targetCa',
      'The CA certificate isn\'t a PEM certificate. It should begin with "-----BEGIN CERTIFICATE-----".',
    )
  return pem
}

/** Adds a check in place of its run's earlier one; keeps the latest. */
export function withCheck(
  checks: readonly HandlerCheckRun[],
  check: HandlerCheckRun,
): readonly HandlerCheckRun[] {
  return [...checks.filter(({ runId }) => runId !== check.runId), check]
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .slice(-MAX_CHECKS)
}

function shownCheck(check: HandlerCheckRun | undefined): SavedHandler['lastCheck'] {
  if (check === undefined) return null
  const { at, passed, failed, skipped } = check
  return { at, passed, failed, skipped }
}
