/** An environment while its form is filled in, what is sent of it, and to which field a refusal belongs. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { CallProblem } from '../../ui/call-problem.ts'

export interface EnvironmentDraft {
  readonly name: string
  readonly mode: Environment['mode']
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: Environment['auth']
  readonly ack: Environment['ack']
  readonly key: string
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenUrl: string
  readonly authHeader: string
  readonly caPem: string
  readonly proxy: string
  readonly timeout: string
  /** While it is changed: takes away the authority, or the proxy, that it has. */
  readonly dropCa: boolean
  readonly dropProxy: boolean
}

export type EnvironmentField = Exclude<keyof EnvironmentDraft, 'dropCa' | 'dropProxy'>

/** What each part of the form gets. */
export interface EnvironmentFieldsProps {
  readonly draft: EnvironmentDraft
  readonly isNew: boolean
  /** Whether credentials of the chosen kind are there, and stay where their fields are left empty. */
  readonly hasCredentials: boolean
  readonly change: (part: Partial<EnvironmentDraft>) => void
  readonly problemAt: (field: EnvironmentField) => string | undefined
}

export const newEnvironment: EnvironmentDraft = {
  name: '',
  mode: 'test',
  baseUrl: '',
  prefix: 'service',
  auth: 'service-key',
  ack: '200',
  key: '',
  clientId: '',
  clientSecret: '',
  tokenUrl: '',
  authHeader: '',
  caPem: '',
  proxy: '',
  timeout: '',
  dropCa: false,
  dropProxy: false,
}

/** What is shown of an environment; the rest is not shown again, and stays as it is where it is left empty. */
export function draftOfEnvironment({ name, mode, baseUrl, prefix, auth, ack }: Environment): EnvironmentDraft {
  return { ...newEnvironment, name, mode, baseUrl, prefix, auth, ack }
}

type Optional = Partial<
  Pick<InputOf<'environments.add'>, 'key' | 'clientId' | 'clientSecret' | 'tokenUrl' | 'authHeader' | 'timeoutMs'>
>

/** What was filled in, of the fields that may stay empty. */
function filledIn(draft: EnvironmentDraft): Optional & { readonly caPem?: string; readonly proxy?: string } {
  const of = (name: 'key' | 'clientId' | 'clientSecret' | 'tokenUrl' | 'authHeader' | 'proxy' | 'caPem') => {
    const value = draft[name].trim()
    return value === '' ? {} : { [name]: value }
  }
  const seconds = draft.timeout.trim()
  return {
    ...(draft.auth === 'service-key'
      ? of('key')
      : { ...of('clientId'), ...of('clientSecret'), ...of('tokenUrl'), ...of('authHeader') }),
    ...of('caPem'),
    ...of('proxy'),
    ...(seconds === '' ? {} : { timeoutMs: Math.round(Number(seconds) * 1_000) }),
  }
}

export function additionOf(draft: EnvironmentDraft): InputOf<'environments.add'> {
  const { mode, auth, ack } = draft
  return {
    name: draft.name.trim(),
    mode,
    auth,
    ack,
    baseUrl: draft.baseUrl.trim(),
    prefix: draft.prefix.trim(),
    ...filledIn(draft),
  }
}

/**
 * `before` is how it authenticates until now: with another kind, nothing of the old one stays, so that what was left empty is
 * refused and the old secret is not sent elsewhere.
 */
export function changeOf(draft: EnvironmentDraft, before: Environment['auth']): InputOf<'environments.update'> {
  const { name, auth, ack } = draft
  return {
    name,
    auth,
    ack,
    baseUrl: draft.baseUrl.trim(),
    prefix: draft.prefix.trim(),
    ...(auth === before ? {} : auth === 'bearer' ? { clientId: '', clientSecret: '', tokenUrl: '' } : { key: '' }),
    ...filledIn(draft),
    ...(draft.dropCa ? { caPem: null } : {}),
    ...(draft.dropProxy ? { proxy: null } : {}),
  }
}

/** Sentences of the core, by what they begin with or name. */
const sentences: readonly (readonly [RegExp, EnvironmentField])[] = [
  [/^The base URL/, 'baseUrl'],
  [/^The token URL|URL of the token endpoint/, 'tokenUrl'],
  [/needs a client id/, 'clientId'],
  [/needs a client secret/, 'clientSecret'],
  [/^(A secret key|This is a public key|The key)/, 'key'],
  [/^The proxy/, 'proxy'],
  [/^The certificate authority/, 'caPem'],
  [/^There is an environment/, 'name'],
]

const inputFields: Readonly<Record<string, EnvironmentField>> = {
  name: 'name',
  baseUrl: 'baseUrl',
  prefix: 'prefix',
  authHeader: 'authHeader',
  timeoutMs: 'timeout',
}

export interface PlacedProblem {
  readonly byField: ReadonlyMap<EnvironmentField, string>
  /** What belongs to no field. */
  readonly rest: readonly string[]
}

/** Puts each sentence of a refusal to its field. */
export function placeProblem(problem: CallProblem): PlacedProblem {
  const byField = new Map<EnvironmentField, string>()
  const rest: string[] = []
  const put = (field: EnvironmentField | undefined, sentence: string) => {
    if (field === undefined) rest.push(sentence)
    else byField.set(field, [byField.get(field), sentence].filter((one) => one !== undefined).join(' '))
  }
  if (problem.findings.length > 0) {
    for (const { field, message } of problem.findings) put(inputFields[field], message)
  } else {
    const parts = problem.sentences.length > 0 ? problem.sentences : [problem.message]
    for (const sentence of parts) put(sentences.find(([pattern]) => pattern.test(sentence))?.[1], sentence)
  }
  return { byField, rest }
}
