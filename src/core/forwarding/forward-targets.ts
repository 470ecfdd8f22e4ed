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
import { signersOf, type SendingDeps } from '../outgoing/signing-hooks.ts'

type TargetDeps = Pick<SendingDeps, 'admission' | 'clock' | 'handlerSigner' | 'hooks' | 'store'>

/** Parses a filter. Throws `INVALID_QUERY`. */
export function readRoute({ clock, hooks }: Pick<TargetDeps, 'clock' | 'hooks'>, text: string) {
  return readIdentifiedQuery(text, { now: clock.now(), hooks: hooks.list() })
}

/** Throws `INVALID_QUERY` if the filter needs fields that are only known later. */
function checkRoute(query: Query, { answer }: Pick<ForwardSettings, 'answer'>): void {
  for (const name of predicatesOf(query).map(nameOf)) {
    const knownWhen = name === null ? undefined : KNOWN[name]
    if (knownWhen === 'later' || (knownWhen === 'behind' && answer !== 'rule'))
      throw new AppError(
        'INVALID_QUERY',
        `"${name}${name?.includes(':') === true ? '' : ':'}" ${TOO_EARLY[knownWhen]}`,
      )
  }
}

function named(settings: ForwardSettings, takenNames: readonly string[]): ForwardSettings {
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
  given: ForwardSettings,
  others: readonly string[],
  consent: Consent,
): Promise<ForwardSettings> {
  const settings = named({ ...given, url: withScheme(given.url) }, others)
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
  const reached = await deps.store.read('hooksMatching', {
    query: decidedByHook(route),
    hooks: hooks.map(({ id, environment, mode }) => ({ id, environment, mode })),
  })
  const own = await signersOf(deps.handlerSigner, { hookId: null, handlerId }, () => [])
  confirmSigner({ ...own, hookIds: [...(own.hookIds ?? []), ...reached] })
  return settings
}

/**
 * Fields that are known with the hook, right after the response, or later. Others are known at
 * arrival.
 */
const KNOWN: Readonly<Partial<Record<FieldName | FlagName, 'by-hook' | 'behind' | 'later'>>> = {
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

/** Returns the part of a query that a hook decides; the rest is replaced by what matches more. */
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
