/** What speaks against a target, finding by finding, and which consents it needs: asked by a form while it is filled in, and before it is kept. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardFinding, ForwardSettings } from '../../shared/model/forward.ts'
import type { Query } from '../../shared/query/query.ts'
import { FORWARDING, type Admission, type Objection } from '../outgoing/admit.ts'
import { askedTooEarly, reachedHooks, type ReachedHook } from './route-rules.ts'
import type { StoredTarget } from '../store/forward-repo.ts'

interface TargetRulesDeps {
  readonly admission: Admission
  /** Reads a route. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  hooks(): readonly ReachedHook[]
  /** The names that other targets have. */
  takenNames(): readonly string[]
}

export interface CheckedTarget {
  readonly findings: readonly ForwardFinding[]
  /** The host that has to be agreed to; null where none has. */
  readonly host: string | null
  /** The hooks whose deliveries the route reaches, by id. */
  readonly hookIds: readonly string[]
  /** Live environments among those of the hooks, which have to be agreed to by name. */
  readonly liveEnvironments: readonly string[]
  /** The first thing that is wrong, as the error to throw; null where nothing is but for consents. */
  readonly error: AppError | null
  /** Why the host is not allowed, to throw. */
  readonly notAllowed: AppError | null
}

function hostIn(error: AppError): string | null {
  const { details } = error
  return typeof details === 'object' && details !== null && 'host' in details && typeof details.host === 'string'
    ? details.host
    : null
}

/** Gives the error that `work` fails with, where it is one for the user. */
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
  later: 'is only known later. A filter can use what is known when a delivery arrives.',
  behind: 'is only known after the response, but this target decides the response. Filter by event, hook, path, header or body.',
}

/** Why a route cannot be decided; null where it can. */
function routeProblem(query: Query, { answer }: Pick<ForwardSettings, 'answer'>): AppError | null {
  const beforeAnswer = answer !== 'rule'
  const asked = askedTooEarly(query, { beforeAnswer })
  if (asked === null) return null
  const why = askedTooEarly(query, { beforeAnswer: false }) === null ? TOO_EARLY.behind : TOO_EARLY.later
  return new AppError('INVALID_QUERY', `"${asked}" ${why}`)
}

async function checkForwardTarget(
  settings: ForwardSettings,
  allowHosts: readonly string[],
  deps: TargetRulesDeps,
): Promise<CheckedTarget> {
  const { name, url, query, answer, sign, registeredUrl, targetCa } = settings
  const problems: { readonly field: ForwardFinding['field']; readonly error: AppError }[] = []
  const note = (field: ForwardFinding['field'], error: AppError | null) => {
    if (error !== null) problems.push({ field, error })
  }
  const invalid = (message: string) => new AppError('INVALID_INPUT', message)

  if (deps.takenNames().some((taken) => taken.toLowerCase() === name.trim().toLowerCase()))
    note('name', invalid(`A target named "${name.trim()}" already exists. Choose another name.`))

  const { admission } = deps
  const signedUrl = sign === 'as-received' ? null : registeredUrl
  const request = { targets: url === '' ? [] : [url], targetCa, registeredUrl: signedUrl, signers: {}, what: FORWARDING }
  const objections: Objection[] = []
  for await (const objection of admission.objections(request, { allowHosts, live: false })) objections.push(objection)
  const errorAbout = (...parts: readonly Objection['about'][]) =>
    parts.flatMap((part) => objections.filter(({ about }) => about === part))[0]?.error ?? null
  let notAllowed: AppError | null = null
  if (url !== '') {
    const refused = errorAbout('target', 'allowHosts')
    // A host can be agreed to; one of our own ports cannot.
    if (refused !== null && hostIn(refused) === null) note('url', refused)
    else notAllowed = refused
  } else if (answer !== 'by-hand') note('url', invalid('Enter a URL to forward to, for example http://127.0.0.1:3000/webhooks.'))

  let route: Query | null = null
  const unreadable = await failureOf(() => {
    route = deps.readRoute(query)
  })
  note('query', unreadable)
  if (route !== null) note('query', routeProblem(route, settings))

  if (registeredUrl !== null && sign === 'as-received')
    note(
      'registeredUrl',
      invalid("Deliveries that keep their signature aren't signed over a URL. Re-sign them, or remove the URL."),
    )
  else note('registeredUrl', errorAbout('registeredUrl'))

  note('targetCa', errorAbout('targetCa'))

  const hookIds = route === null ? [] : reachedHooks(route, deps.hooks())
  return {
    findings: problems.map(({ field, error }) => ({ field, message: error.message })),
    host: notAllowed === null ? null : hostIn(notAllowed),
    hookIds,
    liveEnvironments: admission.liveEnvironments({ hookIds }),
    error: problems[0]?.error ?? null,
    notAllowed,
  }
}

export interface ForwardConsent {
  readonly allowHosts: readonly string[]
  /** Confirms the live environments that the route reaches. */
  readonly live: boolean
}

export interface CheckOptions {
  /** The target that is changed: its own name is not taken. */
  readonly id: string | undefined
  readonly allowHosts: readonly string[]
}

interface Agreement {
  /** What speaks against a target, and what has to be agreed to. */
  check(settings: ForwardSettings, options: CheckOptions): Promise<CheckedTarget>
  /**
   * Settings as they are kept: named, with what was agreed to before (`before`: the target that is changed) and is now. Rejects with
   * what speaks against them, or with `CONFIRMATION_REQUIRED`.
   */
  agree(settings: ForwardSettings, before: StoredTarget | null, consent: ForwardConsent): Promise<StoredTarget['settings']>
}

interface AgreementDeps extends Pick<TargetRulesDeps, 'admission' | 'readRoute' | 'hooks'> {
  targets(): readonly StoredTarget[]
}

/** A name of its own, after the host, where none was given. */
function named(settings: ForwardSettings, takenNames: readonly string[]): ForwardSettings {
  if (settings.name !== '') return settings
  const base = URL.canParse(settings.url) ? new URL(settings.url).host : 'Respond manually'
  const taken = new Set(takenNames.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = (number === 1 ? base : `${base} (${number})`).slice(-60)
    if (!taken.has(name.toLowerCase())) return { ...settings, name }
  }
}

/** What a target is kept with: a name of its own, and the hosts and live environments that were agreed to, each by name. */
export function createAgreement({ targets, ...rules }: AgreementDeps): Agreement {
  const namesBut = (but: string | undefined) => targets().flatMap(({ id, settings }) => (id === but ? [] : [settings.name]))

  const check: Agreement['check'] = (settings, { id, allowHosts }) =>
    checkForwardTarget(settings, allowHosts, { ...rules, takenNames: () => namesBut(id) })

  return {
    check,
    async agree(settings, before, { allowHosts, live }) {
      const whole = named(settings, namesBut(undefined))
      const hosts = [...new Set([...(before?.settings.allowHosts ?? []), ...allowHosts])]
      const { error, notAllowed, hookIds, liveEnvironments } = await check(whole, { id: before?.id, allowHosts: hosts })
      if (error !== null) throw error
      if (notAllowed !== null) throw notAllowed
      const { url, targetCa } = whole
      await rules.admission.admit(
        { targets: url === '' ? [] : [url], targetCa, signers: { hookIds }, what: FORWARDING },
        { allowHosts: hosts, live: live || (before?.settings.liveEnvironments ?? []) },
      )
      return { ...whole, allowHosts: hosts, liveEnvironments }
    },
  }
}
