/** Checks a target's settings and which consents it needs, while a form is filled in and before saving. */
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { ForwardFinding, ForwardSettings } from '../../shared/model/forward.ts'
import type { Predicate, Query } from '../../shared/query/query.ts'
import {
  FORWARDING,
  type Admission,
  type Objection,
  type Signers,
  signersOf,
  type FindHandlerSigner,
} from '../outgoing/admit.ts'
import type { StoredTarget } from '../store/forward.ts'
import type { FieldName, SearchedDelivery } from '../../shared/query/fields.ts'
import type { FlagName } from '../../shared/query/flags.ts'
import { createFilter } from '../../shared/query/matches.ts'
import { BLANK_DELIVERY } from '../../shared/model/delivery.ts'

export interface CheckedTarget {
  readonly findings: readonly ForwardFinding[]
  /** The host to confirm; null if none. */
  readonly host: string | null
  /** The hooks whose deliveries the filter reaches, and what the saved handler signs with. */
  readonly signers: Signers
  /** The hooks' live environments, which must be confirmed by name. */
  readonly liveEnvironments: readonly string[]
  /** The first problem as an error to throw; null if only consents are missing. */
  readonly error: AppError | null
  /** Why the host isn't allowed, as an error to throw. */
  readonly notAllowed: AppError | null
}

function hostIn(error: AppError): string | null {
  const { details } = error
  return typeof details === 'object' &&
    details !== null &&
    'host' in details &&
    typeof details.host === 'string'
    ? details.host
    : null
}

/** Returns the error of `work` if it is one for the user. */
async function failureOf(work: () => unknown): Promise<AppError | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

const TOO_EARLY = {
  later: 'is only known later. Filter by event, hook, path, header or body.',
  behind:
    'is only known after the response, but this target decides the response. Filter by event, hook, path, header or body.',
}

/** Why a filter can't be used; null if it can. */
function routeProblem(query: Query, { answer }: Pick<ForwardSettings, 'answer'>): AppError | null {
  const beforeAnswer = answer !== 'rule'
  const asked = askedTooEarly(query, { beforeAnswer })
  if (asked === null) return null
  const why =
    askedTooEarly(query, { beforeAnswer: false }) === null ? TOO_EARLY.behind : TOO_EARLY.later
  return new AppError('INVALID_QUERY', `"${asked}" ${why}`)
}

export interface ForwardConsent {
  readonly allowHosts: readonly string[]
  /** Confirms the live environments that the filter reaches. */
  readonly live: boolean
}

export interface CheckOptions {
  /** The changed target, whose own name isn't taken. */
  readonly id: string | undefined
  readonly allowHosts: readonly string[]
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

interface AgreementDeps {
  readonly admission: Admission
  readonly handlerSigner: FindHandlerSigner
  /** Parses a filter. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  hooks(): readonly ReachedHook[]
  targets(): readonly StoredTarget[]
}

/** A target's stored name, allowed hosts and confirmed live environments. */
export function createAgreement({
  admission,
  handlerSigner,
  readRoute,
  hooks,
  targets,
}: AgreementDeps) {
  const namesBut = (but: string | undefined) =>
    targets().flatMap(({ id, settings }) => (id === but ? [] : [settings.name]))

  const complete = (settings: ForwardSettings) => ({ ...settings, url: withScheme(settings.url) })

  /** All problems and missing consents of a target. */
  async function check(
    settings: ForwardSettings,
    { id, allowHosts }: CheckOptions,
  ): Promise<CheckedTarget> {
    const { name, url, query, sign, registeredUrl, targetCa, handlerId } = complete(settings)
    const problems: { readonly field: ForwardFinding['field']; readonly error: AppError }[] = []
    const note = (field: ForwardFinding['field'], error: AppError | null) => {
      if (error !== null) problems.push({ field, error })
    }
    const invalid = (message: string) => new AppError('INVALID_INPUT', message)

    if (namesBut(id).some((taken) => taken.toLowerCase() === name.trim().toLowerCase()))
      note('name', invalid(`A target named "${name.trim()}" already exists. Choose another name.`))

    const signedUrl = sign === 'as-received' ? null : registeredUrl
    const request = {
      targets: url === '' ? [] : [url],
      targetCa,
      registeredUrl: signedUrl,
      signers: {},
      what: FORWARDING,
    }
    const objections: Objection[] = []
    for await (const objection of admission.objections(request, { allowHosts, live: false }))
      objections.push(objection)
    const errorAbout = (...parts: readonly Objection['about'][]) =>
      parts.flatMap((part) => objections.filter(({ about }) => about === part))[0]?.error ?? null
    let notAllowed: AppError | null = null
    if (url === '')
      note('url', invalid('Enter a URL to forward to, for example http://127.0.0.1:3000/webhooks.'))
    else {
      const refused = errorAbout('target', 'allowHosts')
      // A host can be allowed, but our own ports can't.
      if (refused !== null && hostIn(refused) === null) note('url', refused)
      else notAllowed = refused
    }

    let route: Query | null = null
    const unreadable = await failureOf(() => {
      route = readRoute(query)
    })
    note('query', unreadable)
    if (route !== null) note('query', routeProblem(route, settings))

    if (registeredUrl !== null && sign === 'as-received')
      note(
        'registeredUrl',
        invalid(
          "Deliveries that keep their signature aren't signed over a URL. Re-sign them, or remove the URL.",
        ),
      )
    else note('registeredUrl', errorAbout('registeredUrl'))

    note('targetCa', errorAbout('targetCa'))

    let signers: Signers = { hookIds: route === null ? [] : reachedHooks(route, hooks()) }
    note(
      'url',
      await failureOf(async () => {
        const its = await signersOf(handlerSigner, { hookId: null, handlerId }, () => [])
        signers = {
          hookIds: [...(signers.hookIds ?? []), ...(its.hookIds ?? [])],
          secrets: its.secrets ?? [],
        }
      }),
    )
    return {
      findings: problems.map(({ field, error }) => ({ field, message: error.message })),
      host: notAllowed === null ? null : hostIn(notAllowed),
      signers,
      liveEnvironments: admission.liveEnvironments(signers),
      error: problems[0]?.error ?? null,
      notAllowed,
    }
  }

  return {
    check,
    /**
     * The settings to store: with a name, and with all consents, old (from `before`, the changed target) and new. Rejects with the
     * first problem, or with `CONFIRMATION_REQUIRED`.
     */
    async agree(
      settings: ForwardSettings,
      before: StoredTarget | null,
      { allowHosts, live }: ForwardConsent,
    ): Promise<StoredTarget['settings']> {
      const whole = named(complete(settings), namesBut(undefined))
      const hosts = [...new Set([...(before?.settings.allowHosts ?? []), ...allowHosts])]
      const { error, notAllowed, signers, liveEnvironments } = await check(whole, {
        id: before?.id,
        allowHosts: hosts,
      })
      if (error !== null) throw error
      if (notAllowed !== null) throw notAllowed
      const { url, targetCa } = whole
      await admission.admit(
        { targets: [url], targetCa, signers, what: FORWARDING },
        { allowHosts: hosts, live: live || (before?.settings.liveEnvironments ?? []) },
      )
      return { ...whole, allowHosts: hosts, liveEnvironments }
    },
  }
}

/** Fields that a delivery gets only later, from people and responses. */
const LATER_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>([
  'status',
  'ms',
  'note',
  'response',
  'handler',
  'flow',
])
const LATER_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>([
  'is:answered',
  'is:refused',
  'is:pinned',
  'has:note',
  'response:failing',
  'response:none',
])
/** Fields computed right after the response, and so too late if the response depends on the filter. */
const BEHIND_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>(['schema', 'attempt'])
const BEHIND_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>(['is:duplicate', 'is:retry'])

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

/** The first field that isn't known in time, as written in the filter; null if all are. */
function askedTooEarly(
  query: Query,
  { beforeAnswer }: { readonly beforeAnswer: boolean },
): string | null {
  for (const predicate of predicatesOf(query)) {
    if (predicate.kind === 'flag') {
      if (LATER_FLAGS.has(predicate.flag) || (beforeAnswer && BEHIND_FLAGS.has(predicate.flag)))
        return predicate.flag
    } else if ('field' in predicate) {
      if (LATER_FIELDS.has(predicate.field) || (beforeAnswer && BEHIND_FIELDS.has(predicate.field)))
        return `${predicate.field}:`
    }
  }
  return null
}

/** A hook's fields that a filter can use. */
interface ReachedHook {
  readonly id: string
  readonly event: string
  readonly environment: string
  readonly mode: 'test' | 'live'
}

/** The fields shared by all of a hook's deliveries. The event may differ if no key proves it. */
const KNOWN_FIELDS: ReadonlySet<FieldName> = new Set<FieldName>(['environment', 'mode', 'hook'])
const KNOWN_FLAGS: ReadonlySet<FlagName> = new Set<FlagName>(['is:test', 'is:live', 'has:hook'])

const SOME: SearchedDelivery = { ...BLANK_DELIVERY, body: new Uint8Array() }

/** Evaluates a query on a partly known delivery: true, false, or null if it depends on the unknown part. */
function holds(query: Query, delivery: SearchedDelivery): boolean | null {
  switch (query.kind) {
    case 'all': {
      const parts = query.of.map((part) => holds(part, delivery))
      return parts.includes(false) ? false : parts.includes(null) ? null : true
    }
    case 'any': {
      const parts = query.of.map((part) => holds(part, delivery))
      return parts.includes(true) ? true : parts.includes(null) ? null : false
    }
    case 'not': {
      const part = holds(query.of, delivery)
      return part === null ? null : !part
    }
    default: {
      const isKnown =
        query.kind === 'flag'
          ? KNOWN_FLAGS.has(query.flag)
          : 'field' in query && KNOWN_FIELDS.has(query.field)
      return isKnown ? createFilter(query)(delivery) : null
    }
  }
}

/** The IDs of hooks whose deliveries may match the filter. */
function reachedHooks(query: Query, hooks: readonly ReachedHook[]): string[] {
  return hooks
    .filter(
      ({ id, environment, mode }) =>
        holds(query, { ...SOME, hookId: id, environment, mode }) !== false,
    )
    .map(({ id }) => id)
}
