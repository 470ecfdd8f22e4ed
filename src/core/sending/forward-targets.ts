/** Checks a target's settings and which consents it needs, while a form is filled in and before saving. */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { ForwardFinding, ForwardSettings } from '../../shared/model/forward.ts'
import type { FieldName } from '../../shared/query/fields.ts'
import type { FlagName } from '../../shared/query/flags.ts'
import { readIdentifiedQuery } from '../../shared/query/parse.ts'
import { EVERYTHING, NOTHING, type Predicate, type Query } from '../../shared/query/query.ts'
import { refusalOf } from '../base/async.ts'
import {
  FORWARDING,
  signersOf,
  type Consent,
  type Objection,
  type SendingDeps,
  type Signers,
} from '../outgoing/admit.ts'
import type { StoredTarget } from '../store/forward.ts'

type TargetDeps = Pick<SendingDeps, 'admission' | 'clock' | 'handlerSigner' | 'hooks' | 'store'>

/** Parses a filter. Throws `INVALID_QUERY`. */
export function readRoute({ clock, hooks }: Pick<TargetDeps, 'clock' | 'hooks'>, text: string) {
  return readIdentifiedQuery(text, { now: clock.now(), hooks: hooks.list() })
}

/** The host that an error says can be allowed. */
const hostIn = ({ details }: AppError) =>
  z.object({ host: z.string() }).safeParse(details).data?.host ?? null

function routeProblem(query: Query, { answer }: Pick<ForwardSettings, 'answer'>): AppError | null {
  for (const name of predicatesOf(query).map(nameOf)) {
    const known = name === null ? undefined : KNOWN[name]
    if (known === 'later' || (known === 'behind' && answer !== 'rule'))
      return new AppError(
        'INVALID_QUERY',
        `"${name}${name?.includes(':') === true ? '' : ':'}" ${TOO_EARLY[known]}`,
      )
  }
  return null
}

const invalid = (message: string) => new AppError('INVALID_INPUT', message)

/** All problems and missing consents of a target. `others`: the names of all other targets. */
export async function checkForwardTarget(
  deps: TargetDeps,
  settings: ForwardSettings,
  others: readonly string[],
  consent: Consent,
) {
  const { admission } = deps
  const hooks = deps.hooks.list().filter(({ status }) => status !== 'deleted')
  const { query, sign, registeredUrl, targetCa, handlerId } = settings
  const name = settings.name.trim()
  const url = withScheme(settings.url)
  let route: Query | null = null
  const unreadable = await refusalOf(() => {
    route = readRoute(deps, query)
  })
  /** Hooks whose deliveries may match. */
  const reached =
    route === null
      ? []
      : await deps.store.read('hooksMatching', {
          query: decidedByHook(route),
          hooks: hooks.map(({ id, environment, mode }) => ({ id, environment, mode })),
        })
  let signers: Signers = { hookIds: reached }
  const unsigned = await refusalOf(async () => {
    const its = await signersOf(deps.handlerSigner, { hookId: null, handlerId }, () => [])
    signers = { ...its, hookIds: [...(signers.hookIds ?? []), ...(its.hookIds ?? [])] }
  })
  const request = {
    targets: url === '' ? [] : [url],
    targetCa,
    registeredUrl: sign === 'as-received' ? null : registeredUrl,
    signers,
    what: FORWARDING,
  }
  const objections: Objection[] = []
  for await (const objection of admission.objections(request, consent)) objections.push(objection)
  const errorAbout = (part: Objection['about']) =>
    objections.find(({ about }) => about === part)?.error ?? null
  const notSendable = errorAbout('target') ?? errorAbout('allowHosts')
  const host = notSendable === null ? null : hostIn(notSendable)

  const found: [ForwardFinding['field'], AppError | null][] = [
    [
      'name',
      others.some((taken) => taken.toLowerCase() === name.toLowerCase())
        ? invalid(`A target named "${name}" already exists. Choose another name.`)
        : null,
    ],
    [
      'url',
      url === ''
        ? invalid('Enter a URL to forward to, for example http://127.0.0.1:3000/webhooks.')
        : // A host can be allowed, but our own ports can't.
          host === null
          ? notSendable
          : null,
    ],
    ['query', unreadable ?? (route === null ? null : routeProblem(route, settings))],
    [
      'registeredUrl',
      registeredUrl !== null && sign === 'as-received'
        ? invalid(
            "Deliveries that keep their signature aren't signed over a URL. Re-sign them, or remove the URL.",
          )
        : errorAbout('registeredUrl'),
    ],
    ['targetCa', errorAbout('targetCa')],
    ['url', unsigned],
  ]
  const problems = found.flatMap(([field, error]) => (error === null ? [] : [{ field, error }]))
  return {
    findings: problems.map(({ field, error }) => ({ field, message: error.message })),
    /** The host to confirm; null if none. */
    host,
    /** The hooks' live environments, which must be confirmed by name. */
    liveEnvironments: admission.liveEnvironments(signers),
    /** The first problem or missing consent, as an error to throw. */
    refusal: problems[0]?.error ?? notSendable ?? errorAbout('live'),
  }
}

/** A default name, from the host. */
function named(settings: ForwardSettings, takenNames: readonly string[]): ForwardSettings {
  if (settings.name !== '') return settings
  const base = URL.canParse(settings.url) ? new URL(settings.url).host : settings.url
  const taken = new Set(takenNames.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = (number === 1 ? base : `${base} (${number})`).slice(-60)
    if (!taken.has(name.toLowerCase())) return { ...settings, name }
  }
}

export interface ForwardConsent {
  readonly allowHosts: readonly string[]
  /** Confirms the live environments that the filter reaches. */
  readonly live: boolean
}

/**
 * The settings to store: with a name, and with all consents, old (from `before`, the changed target) and new. Rejects with the
 * first problem, or with `CONFIRMATION_REQUIRED`.
 */
export async function agreeOnTarget(
  deps: TargetDeps,
  settings: ForwardSettings,
  before: StoredTarget | null,
  others: readonly string[],
  consent: ForwardConsent,
): Promise<StoredTarget['settings']> {
  const whole = named({ ...settings, url: withScheme(settings.url) }, others)
  const allowHosts = [...new Set([...(before?.settings.allowHosts ?? []), ...consent.allowHosts])]
  const live = consent.live || (before?.settings.liveEnvironments ?? [])
  const { refusal, liveEnvironments } = await checkForwardTarget(deps, whole, others, {
    allowHosts,
    live,
  })
  if (refusal !== null) throw refusal
  return { ...whole, allowHosts, liveEnvironments }
}

/**
 * When a delivery's fields are known: from its hook, right after the response, or only later, from people and responses. All
 * others are known when it arrives.
 */
const KNOWN: Readonly<Partial<Record<FieldName | FlagName, 'by-hook' | 'behind' | 'later'>>> = {
  // The event may differ from the hook's if no key proves it.
  environment: 'by-hook',
  mode: 'by-hook',
  hook: 'by-hook',
  'is:test': 'by-hook',
  'is:live': 'by-hook',
  'has:hook': 'by-hook',
  schema: 'behind',
  attempt: 'behind',
  'is:duplicate': 'behind',
  'is:retry': 'behind',
  status: 'later',
  ms: 'later',
  note: 'later',
  response: 'later',
  handler: 'later',
  flow: 'later',
  'is:answered': 'later',
  'is:refused': 'later',
  'is:pinned': 'later',
  'has:note': 'later',
  'response:failing': 'later',
  'response:none': 'later',
}

const TOO_EARLY = {
  later: 'is only known later. Filter by event, hook, path, header or body.',
  behind:
    'is only known after the response, but this target decides the response. Filter by event, hook, path, header or body.',
}

function nameOf(predicate: Predicate): FieldName | FlagName | null {
  if (predicate.kind === 'flag') return predicate.flag
  return 'field' in predicate ? predicate.field : null
}

function predicatesOf(query: Query): readonly Predicate[] {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.flatMap(predicatesOf)
    case 'not':
      return predicatesOf(query.of)
    default:
      return [query]
  }
}

/**
 * Returns the part of a query that a hook decides. Everything else may hold or not, so it is replaced by
 * what lets more deliveries match.
 * @param more whether a match of this part makes the whole query match more.
 */
function decidedByHook(query: Query, more = true): Query {
  switch (query.kind) {
    case 'all':
    case 'any':
      return { ...query, of: query.of.map((part) => decidedByHook(part, more)) }
    case 'not':
      return { ...query, of: decidedByHook(query.of, !more) }
    default: {
      const name = nameOf(query)
      if (name !== null && KNOWN[name] === 'by-hook') return query
      return more ? EVERYTHING : NOTHING
    }
  }
}
