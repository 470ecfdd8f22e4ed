/** Finds problems of a setup that a JSON schema can't express, such as an unknown hook. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Path } from '../../shared/diff/path-pattern.ts'
import {
  isSandboxEnvironment,
  SANDBOX_LIVE,
  SANDBOX_TEST,
  type EnvironmentFinding,
} from '../../shared/model/environment.ts'
import { isOfConnection } from '../../shared/http.ts'
import type { Setup } from '../../shared/model/setup.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import { parseQuery, readIdentifiedQuery } from '../../shared/query/parse.ts'
import type { Query } from '../../shared/query/query.ts'
import { isCredentialHeader } from '../../shared/service/credential-headers.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-names.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { withOrigin } from '../../shared/service/hook-finding.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import { checkRoute } from '../forwarding/forward-targets.ts'
import { checkCaCertificate, checkEnvironment } from '../hooks/environment-rules.ts'
import { pathOfUrl } from '../hooks/hook-paths.ts'
import { checkEdits } from '../outgoing/replay-edits.ts'
import { checkSignedUrl, checkTargetCa, readTarget } from '../outgoing/targets.ts'
import { hookKey } from './setup-items.ts'

export interface SetupProblem {
  readonly path: Path
  readonly message: string
  readonly fix: string
}

const problem = (path: Path, message: string, fix = ''): SetupProblem => ({ path, message, fix })
const notInFile = (path: Path, what: string, fix: string): SetupProblem =>
  problem(path, `${what} isn't in this file.`, fix)

/** Runs a check; returns its `AppError` as a problem. */
function refused(path: Path, check: () => unknown): SetupProblem[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [problem(path, error.message)]
  }
}

/** Finds entries with a key that an earlier entry has, regardless of case. */
function duplicates<Entry>(
  list: keyof Setup,
  entries: readonly Entry[],
  field: string,
  keyOf: (entry: Entry) => string,
): SetupProblem[] {
  const keys = entries.map((entry) => keyOf(entry).toLowerCase())
  return entries.flatMap((entry, index) =>
    keys.indexOf(keys[index] ?? '') === index
      ? []
      : [
          problem(
            field === '' ? [list, index] : [list, index, field],
            `\`${list}\` has ${field === '' ? 'this entry' : `"${keyOf(entry)}"`} twice.`,
            'Remove or rename one of them.',
          ),
        ],
  )
}

function* environmentProblems({ environments, sandbox }: Setup): Generator<SetupProblem> {
  yield* duplicates('environments', environments, 'name', ({ name }) => name)
  for (const [index, { key, clientSecret, ...environment }] of environments.entries()) {
    const path = ['environments', index]
    if (isSandboxEnvironment(environment.name))
      yield problem(
        [...path, 'name'],
        `${environment.name} belongs to the sandbox.`,
        'Use `sandbox` for its prefix and CA certificate.',
      )
    const isBearer = environment.auth === 'bearer'
    if (isBearer ? key !== undefined : clientSecret !== undefined)
      yield problem(
        [...path, isBearer ? 'key' : 'clientSecret'],
        `${environment.auth} authentication doesn't use this secret.`,
        `Name \`${isBearer ? 'clientSecret' : 'key'}\`.`,
      )
    try {
      // Its secret, which the file doesn't have, is checked when it is read.
      checkEnvironment({ ...environment, key: 'sk', clientSecret: 'secret' })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      for (const { field, message } of error.details as readonly EnvironmentFinding[])
        yield problem([...path, field], message)
    }
  }
  for (const [mode, { caPem = null } = {}] of Object.entries(sandbox))
    yield* refused(['sandbox', mode, 'caPem'], () => checkCaCertificate(caPem))
}

function* hookProblems({ hooks, environments }: Setup): Generator<SetupProblem> {
  yield* duplicates('hooks', hooks, 'name', ({ name }) => name)
  yield* duplicates('hooks', hooks, '', hookKey)
  for (const [index, hook] of hooks.entries()) {
    const path = ['hooks', index]
    const environment = environments.find(({ name }) => name === hook.environment)
    if (environment === undefined && !isSandboxEnvironment(hook.environment))
      yield notInFile(
        [...path, 'environment'],
        `Environment "${hook.environment}"`,
        `Add it to \`environments\`, or use ${SANDBOX_TEST} or ${SANDBOX_LIVE}.`,
      )
    const headers = Object.fromEntries(Object.keys(hook.headers).map((name) => [name, 'value']))
    const findings = checkHook(
      { ...hook, kind: hookKindOf(hook.event), headers },
      { prefix: environment?.prefix ?? DEFAULT_PREFIX, siblings: [] },
    ).filter(({ rule }) => rule !== 'event-unknown')
    for (const finding of findings)
      yield problem(
        [...path, ...finding.field.split(/\.(.*)/s).filter((step) => step !== '')],
        withOrigin(finding),
      )
    for (const name of Object.keys(hook.response.headers).filter(isOfConnection))
      yield problem(
        [...path, 'response', 'headers', name],
        `${name} belongs to the connection and is set automatically.`,
        'Remove it.',
      )
  }
}

function* endpointProblems({ handlers, forwards, hooks }: Setup): Generator<SetupProblem> {
  yield* duplicates('handlers', handlers, 'name', ({ name }) => name)
  yield* duplicates('forwards', forwards, 'name', ({ name }) => name)
  for (const [list, entries] of [
    ['handlers', handlers],
    ['forwards', forwards],
  ] as const)
    for (const [index, { url, registeredUrl, targetCa }] of entries.entries()) {
      yield* refused([list, index, 'url'], () => readTarget(url))
      yield* refused([list, index, 'registeredUrl'], () => checkSignedUrl(registeredUrl))
      yield* refused([list, index, 'targetCa'], () => checkTargetCa(targetCa))
    }
  for (const [index, { hook, secret }] of handlers.entries()) {
    const path = ['handlers', index]
    if (hook !== undefined && secret !== undefined)
      yield problem([...path, 'secret'], 'The handler has both a hook and a secret.', 'Use one.')
    if (hook !== undefined && !hooks.some(({ name }) => name === hook))
      yield unknownHook(path, hook)
  }
  for (const [index, forward] of forwards.entries()) {
    const { handler, query, response, sign, registeredUrl } = forward
    const path = ['forwards', index]
    if (handler !== undefined && !handlers.some(({ name }) => name === handler))
      yield notInFile([...path, 'handler'], `Handler "${handler}"`, 'Add it to `handlers`.')
    if (registeredUrl !== null && sign === 'as-received')
      yield problem(
        [...path, 'registeredUrl'],
        "Deliveries that keep their signature aren't signed over a URL.",
        'Remove it, or set `"sign": "now"`.',
      )
    yield* refused([...path, 'query'], () => parseQuery(query))
    yield* refused([...path, 'query'], () => {
      const route = knownRoute(query, hooks)
      if (route !== null) checkRoute(route, { answer: response })
    })
  }
}

function* requestProblems({ requests, hooks, environments, sandbox }: Setup) {
  yield* duplicates('requests', requests, 'name', ({ name }) => name)
  yield* duplicates('requests', requests, 'file', ({ file }) => file)
  const prefixes = [...environments, sandbox.test, sandbox.live].map((one) => one?.prefix)
  const known = [DEFAULT_PREFIX, ...prefixes].filter((prefix) => prefix !== undefined)
  for (const [index, { hook: hookName, event, headers }] of requests.entries()) {
    const path = ['requests', index]
    const hook = hooks.find(({ name }) => name === hookName)
    if (hookName !== undefined && hook === undefined) yield unknownHook(path, hookName)
    if (hook !== undefined && event !== undefined && event !== hook.event)
      yield problem(
        [...path, 'event'],
        `Hook "${hook.name}" receives ${hook.event}, not ${event}.`,
        'Name another hook, or remove the event.',
      )
    for (const [name, value] of Object.entries(headers)) {
      const at = [...path, 'headers', name]
      yield* refused(at, () =>
        checkEdits({ ...NO_EDITS, setHeaders: [[name, value]] }, null, known),
      )
      if (isCredentialHeader(name, value))
        yield problem(at, `${name} is a secret in clear.`, 'Remove it, or add it to the hook.')
    }
  }
}

const unknownHook = (path: Path, hook: string): SetupProblem =>
  notInFile([...path, 'hook'], `Hook "${hook}"`, 'Add it to `hooks`.')

/** Returns a forward target's filter; null if it isn't valid or names a hook of the data folder. */
function knownRoute(query: string, hooks: Setup['hooks']): Query | null {
  const named = hooks.map(({ id = '', remoteId, url }) => ({
    ...{ id, remoteId, url },
    path: pathOfUrl(url),
  }))
  try {
    return readIdentifiedQuery(query, { now: 0, hooks: named })
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Finds all problems, in no particular order. */
export function setupProblems(setup: Setup): SetupProblem[] {
  const { views, flows, current, environments, handlers } = setup
  const knownEnvironments = [SANDBOX_TEST, SANDBOX_LIVE, ...environments.map(({ name }) => name)]
  const currents = [
    ['environment', current.environment, knownEnvironments],
    ['handler', current.handler, handlers.map(({ name }) => name)],
  ] as const
  return [
    ...environmentProblems(setup),
    ...hookProblems(setup),
    ...endpointProblems(setup),
    ...requestProblems(setup),
    ...duplicates('views', views, 'name', ({ name }) => name),
    ...views.flatMap(({ query }, index) =>
      refused(['views', index, 'query'], () => parseQuery(query)),
    ),
    ...duplicates('flows', flows, '', (path) => path),
    ...currents.flatMap(([field, name, known]) =>
      name === undefined || known.includes(name)
        ? []
        : [
            notInFile(
              ['current', field],
              `"${name}"`,
              known.length === 0 ? 'Remove it.' : `Use one of: ${known.join(', ')}.`,
            ),
          ],
    ),
  ]
}
