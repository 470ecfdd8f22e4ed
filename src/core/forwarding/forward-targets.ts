/** Checks a target's settings, and asks for the consent that it needs. */
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { ForwardSettings } from '../../shared/model/forward.ts'
import type { FieldName } from '../../shared/query/fields.ts'
import type { FlagName } from '../../shared/query/flags.ts'
import { readIdentifiedQuery } from '../../shared/query/parse.ts'
import { EVERYTHING, NOTHING, type Predicate, type Query } from '../../shared/query/query.ts'
import { FORWARDING } from '../outgoing/admit.ts'
import { invalidField } from '../outgoing/targets.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import { signersOf, type SendDeps } from '../outgoing/signing-hooks.ts'

type TargetDeps = Pick<SendDeps, 'admission' | 'clock' | 'handlerSigner' | 'hooks' | 'store'>

type QueryDeps = Pick<TargetDeps, 'clock' | 'hooks'>

/** Parses a filter. Throws `INVALID_QUERY`. */
function readRoute({ clock, hooks }: QueryDeps, text: string) {
  return readIdentifiedQuery(text, { now: clock.now(), hooks: hooks.list() })
}

/** Returns a target's filter; null if a hook that it names is gone. */
export function filterOf(deps: QueryDeps, { settings }: StoredTarget): Query | null {
  try {
    return readRoute(deps, settings.query)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Throws `INVALID_QUERY` if the filter needs fields that are only known later. */
export function checkRoute(query: Query, { answer }: Pick<ForwardSettings, 'answer'>): void {
  for (const name of predicatesOf(query).map(predicateName)) {
    const availability = name === null ? undefined : FIELD_AVAILABILITY[name]
    if (availability === 'later' || (availability === 'after-response' && answer !== 'rule'))
      throw new AppError(
        'INVALID_QUERY',
        `"${name}${name?.includes(':') === true ? '' : ':'}" ${TOO_EARLY[availability]}`,
      )
  }
}

function withName(settings: ForwardSettings, takenNames: readonly string[]): ForwardSettings {
  if (settings.name !== '') return settings
  const base = URL.canParse(settings.url) ? new URL(settings.url).host : settings.url
  const taken = new Set(takenNames.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = (number === 1 ? base : `${base} (${number})`).slice(-60)
    if (!taken.has(name.toLowerCase())) return { ...settings, name }
  }
}

/** Returns the settings to store. Rejects with the first problem or missing consent. */
export async function admitTarget(
  deps: TargetDeps,
  input: ForwardSettings,
  others: readonly string[],
  consent: Consent,
): Promise<ForwardSettings> {
  const settings = withName({ ...input, url: withScheme(input.url) }, others)
  const { url, sign, registeredUrl, targetCa, handlerId } = settings
  const name = settings.name.trim()
  if (others.some((taken) => taken.toLowerCase() === name.toLowerCase()))
    throw invalidField('name', `A target named "${name}" already exists. Choose another name.`)
  if (url === '')
    throw invalidField(
      'url',
      'Enter a URL to forward to, for example http://127.0.0.1:3000/webhooks.',
    )
  const route = readRoute(deps, settings.query)
  checkRoute(route, settings)
  if (registeredUrl !== null && sign === 'as-received')
    throw invalidField(
      'registeredUrl',
      "Deliveries that keep their signature aren't signed over a URL. Re-sign them, or remove the URL.",
    )
  const request = { targets: [url], targetCa, registeredUrl, signers: {}, what: FORWARDING }
  const { confirmSigner } = await deps.admission.admit(request, consent)
  const hooks = deps.hooks.list().filter(({ status }) => status !== 'deleted')
  const reachedHookIds = await deps.store.read('hooksMatching', {
    query: decidedByHook(route),
    hooks: hooks.map(({ id, environment, mode }) => ({ id, environment, mode })),
  })
  const ownSigners = await signersOf(deps.handlerSigner, { hookId: null, handlerId }, () => [])
  confirmSigner({ ...ownSigners, hookIds: [...(ownSigners.hookIds ?? []), ...reachedHookIds] })
  return settings
}

type FieldAvailability = 'by-hook' | 'after-response' | 'later'

/** Time from which a field is known; all others are at arrival. */
const FIELD_AVAILABILITY: Readonly<Partial<Record<FieldName | FlagName, FieldAvailability>>> = {
  environment: 'by-hook',
  mode: 'by-hook',
  hook: 'by-hook',
  'is:test': 'by-hook',
  'is:live': 'by-hook',
  'has:hook': 'by-hook',
  schema: 'after-response',
  attempt: 'after-response',
  'is:duplicate': 'after-response',
  'is:retry': 'after-response',
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
  'after-response':
    'is only known after the response, but this target decides the response. Filter by event, hook, path, header or body.',
}

function predicateName(predicate: Predicate): FieldName | FlagName | null {
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
 * Reduces a query to what the hook decides. Other conditions match everything, or nothing within a
 * negation, so that no hook is missed.
 */
function decidedByHook(query: Query, replacement = EVERYTHING): Query {
  switch (query.kind) {
    case 'all':
    case 'any':
      return { ...query, of: query.of.map((part) => decidedByHook(part, replacement)) }
    case 'not':
      return {
        ...query,
        of: decidedByHook(query.of, replacement === EVERYTHING ? NOTHING : EVERYTHING),
      }
    default: {
      const name = predicateName(query)
      if (name !== null && FIELD_AVAILABILITY[name] === 'by-hook') return query
      return replacement
    }
  }
}
