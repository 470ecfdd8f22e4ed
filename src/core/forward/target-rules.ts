/** Checks a target's settings and which consents it needs, while a form is filled in and before saving. */
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { ForwardFinding, ForwardSettings } from '../../shared/model/forward.ts'
import type { Query } from '../../shared/query/query.ts'
import { FORWARDING, type Admission, type Objection, type Signers } from '../outgoing/admit.ts'
import { type FindHandlerSigner, signersOf } from '../outgoing/signing-hooks.ts'
import { askedTooEarly, reachedHooks, type ReachedHook } from './route-rules.ts'
import type { StoredTarget } from '../store/forward-repo.ts'

interface TargetRulesDeps {
  readonly admission: Admission
  readonly handlerSigner: FindHandlerSigner
  /** Parses a filter. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  hooks(): readonly ReachedHook[]
  /** The names of the other targets. */
  takenNames(): readonly string[]
}

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

async function checkForwardTarget(
  settings: ForwardSettings,
  allowHosts: readonly string[],
  deps: TargetRulesDeps,
): Promise<CheckedTarget> {
  const { name, url, query, sign, registeredUrl, targetCa, handlerId } = settings
  const problems: { readonly field: ForwardFinding['field']; readonly error: AppError }[] = []
  const note = (field: ForwardFinding['field'], error: AppError | null) => {
    if (error !== null) problems.push({ field, error })
  }
  const invalid = (message: string) => new AppError('INVALID_INPUT', message)

  if (deps.takenNames().some((taken) => taken.toLowerCase() === name.trim().toLowerCase()))
    note('name', invalid(`A target named "${name.trim()}" already exists. Choose another name.`))

  const { admission } = deps
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
    route = deps.readRoute(query)
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

  let signers: Signers = { hookIds: route === null ? [] : reachedHooks(route, deps.hooks()) }
  note(
    'url',
    await failureOf(async () => {
      const its = await signersOf(deps.handlerSigner, { hookId: null, handlerId }, () => [])
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

interface Agreement {
  /** All problems and missing consents of a target. */
  check(settings: ForwardSettings, options: CheckOptions): Promise<CheckedTarget>
  /**
   * The settings to store: with a name, and with all consents, old (from `before`, the changed target) and new. Rejects with the
   * first problem, or with `CONFIRMATION_REQUIRED`.
   */
  agree(
    settings: ForwardSettings,
    before: StoredTarget | null,
    consent: ForwardConsent,
  ): Promise<StoredTarget['settings']>
}

interface AgreementDeps extends Pick<
  TargetRulesDeps,
  'admission' | 'handlerSigner' | 'readRoute' | 'hooks'
> {
  targets(): readonly StoredTarget[]
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

/** A target's stored name, allowed hosts and confirmed live environments. */
export function createAgreement({ targets, ...rules }: AgreementDeps): Agreement {
  const namesBut = (but: string | undefined) =>
    targets().flatMap(({ id, settings }) => (id === but ? [] : [settings.name]))

  const complete = (settings: ForwardSettings) => ({ ...settings, url: withScheme(settings.url) })

  const check: Agreement['check'] = (settings, { id, allowHosts }) =>
    checkForwardTarget(complete(settings), allowHosts, { ...rules, takenNames: () => namesBut(id) })

  return {
    check,
    async agree(settings, before, { allowHosts, live }) {
      const whole = named(complete(settings), namesBut(undefined))
      const hosts = [...new Set([...(before?.settings.allowHosts ?? []), ...allowHosts])]
      const { error, notAllowed, signers, liveEnvironments } = await check(whole, {
        id: before?.id,
        allowHosts: hosts,
      })
      if (error !== null) throw error
      if (notAllowed !== null) throw notAllowed
      const { url, targetCa } = whole
      await rules.admission.admit(
        { targets: [url], targetCa, signers, what: FORWARDING },
        { allowHosts: hosts, live: live || (before?.settings.liveEnvironments ?? []) },
      )
      return { ...whole, allowHosts: hosts, liveEnvironments }
    },
  }
}
