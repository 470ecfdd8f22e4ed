/** The draft of the environment form and its input for the core. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import { DEFAULT_API_VERSION, type Environment } from '../../../shared/model/environment.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import type { Form } from '../../ui/use-form.ts'

export interface EnvironmentDraft {
  readonly name: string
  readonly mode: Environment['mode']
  readonly baseUrl: string
  readonly apiVersion: string
  readonly prefix: string
  readonly auth: Environment['auth']
  readonly ack: Environment['ack']
  readonly key: string
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenUrl: string
  readonly authHeader: string
  readonly tokenForm: Environment['tokenForm']
  readonly tokenField: string
  readonly refreshTokenField: string
  readonly expiryField: string
  /** One `name=value` per line. */
  readonly tokenRequestFields: string
  readonly caPem: string
  readonly proxy: string
  /** In seconds. */
  readonly timeout: string
}

/** Form fields by the names used in findings. */
export const environmentFields = [
  'name',
  'baseUrl',
  'apiVersion',
  'prefix',
  'key',
  'clientId',
  'clientSecret',
  'tokenUrl',
  'authHeader',
  'tokenField',
  'refreshTokenField',
  'expiryField',
  'tokenRequestFields',
  'caPem',
  'proxy',
  'timeoutMs',
] as const
export type EnvironmentField = (typeof environmentFields)[number]

/** Properties shared by the parts of the form. */
export interface EnvironmentFieldsProps {
  readonly form: Form<EnvironmentDraft>
  /** Whether a secret of this kind is stored. It stays if its field is empty. */
  readonly hasSecret: boolean
}

export const newEnvironment: EnvironmentDraft = {
  name: '',
  mode: 'test',
  baseUrl: '',
  apiVersion: DEFAULT_API_VERSION,
  prefix: 'service',
  auth: 'service-key',
  ack: '200',
  key: '',
  clientId: '',
  clientSecret: '',
  tokenUrl: '',
  authHeader: 'Authentication',
  tokenForm: 'json',
  tokenField: '',
  refreshTokenField: '',
  expiryField: '',
  tokenRequestFields: '',
  caPem: '',
  proxy: '',
  timeout: '30',
}

/** Everything except the secret, which isn't shown and stays if its field is empty. */
export function draftOfEnvironment(environment: Environment): EnvironmentDraft {
  const {
    name,
    mode,
    baseUrl,
    apiVersion,
    prefix,
    auth,
    ack,
    clientId,
    tokenUrl,
    authHeader,
    tokenForm,
  } = environment
  const {
    tokenField,
    refreshTokenField,
    expiryField,
    tokenRequestFields,
    caPem,
    proxy,
    timeoutMs,
  } = environment
  return {
    ...newEnvironment,
    ...{ name, mode, baseUrl, apiVersion, prefix, auth, ack, authHeader, tokenForm },
    tokenField: tokenField ?? '',
    refreshTokenField: refreshTokenField ?? '',
    expiryField: expiryField ?? '',
    tokenRequestFields: Object.entries(tokenRequestFields)
      .map(([field, value]) => `${field}=${value}`)
      .join('\n'),
    clientId: clientId ?? '',
    tokenUrl: tokenUrl ?? '',
    caPem: caPem ?? '',
    proxy: proxy ?? '',
    timeout: String(timeoutMs / 1_000),
  }
}

type Credentials = Pick<
  InputOf<'environments.add'>,
  | 'key'
  | 'clientId'
  | 'clientSecret'
  | 'tokenUrl'
  | 'authHeader'
  | 'tokenForm'
  | 'tokenField'
  | 'refreshTokenField'
  | 'expiryField'
  | 'tokenRequestFields'
>

/** Fields of the selected authentication. Leaves out an empty secret. */
function credentialsOf(draft: EnvironmentDraft): Credentials {
  const secret = (name: 'key' | 'clientSecret') =>
    draft[name].trim() === '' ? {} : { [name]: draft[name].trim() }
  if (draft.auth === 'service-key') return secret('key')
  const authHeader = draft.authHeader.trim()
  return {
    clientId: draft.clientId.trim(),
    ...secret('clientSecret'),
    tokenUrl: draft.tokenUrl.trim(),
    authHeader: authHeader === '' ? newEnvironment.authHeader : authHeader,
    tokenForm: draft.tokenForm,
    tokenField: orNull(draft.tokenField),
    refreshTokenField: orNull(draft.refreshTokenField),
    expiryField: orNull(draft.expiryField),
    tokenRequestFields: Object.fromEntries(
      requestFieldsOf(draft).map(({ name, value }) => [name, value ?? '']),
    ),
  }
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

/** The extra request fields; `value` is null for a line without `=`. */
function requestFieldsOf({
  tokenRequestFields,
}: EnvironmentDraft): { readonly name: string; readonly value: string | null }[] {
  return tokenRequestFields
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const sign = line.indexOf('=')
      return sign < 0
        ? { name: line.trim(), value: null }
        : { name: line.slice(0, sign).trim(), value: line.slice(sign + 1).trim() }
    })
}

/** NaN if invalid; the default if empty. */
function secondsOf({ timeout }: EnvironmentDraft): number {
  return Number(timeout.trim() === '' ? newEnvironment.timeout : timeout)
}

/** Fields shared by adding and editing. Cleared fields are removed or reset to defaults. */
function commonOf(draft: EnvironmentDraft) {
  const { name, auth, ack } = draft
  return {
    name: name.trim(),
    auth,
    ack,
    baseUrl: draft.baseUrl.trim(),
    apiVersion:
      draft.apiVersion.trim() === '' ? newEnvironment.apiVersion : draft.apiVersion.trim(),
    prefix: draft.prefix.trim(),
    caPem: orNull(draft.caPem),
    proxy: orNull(draft.proxy),
    timeoutMs: Math.round(secondsOf(draft) * 1_000),
    ...credentialsOf(draft),
  }
}

export function additionOf(draft: EnvironmentDraft): InputOf<'environments.add'> {
  return { ...commonOf(draft), mode: draft.mode }
}

/** Name and mode stay. An empty secret keeps the stored one. A live environment's form has asked for confirmation. */
export function changeOf(draft: EnvironmentDraft): InputOf<'environments.update'> {
  return { ...commonOf(draft), live: draft.mode === 'live' }
}

/** Checks before sending: missing fields and invalid numbers. */
export function wrongInDraft(draft: EnvironmentDraft): readonly FieldFinding[] {
  const seconds = secondsOf(draft)
  const isOdd =
    draft.auth === 'bearer' &&
    requestFieldsOf(draft).some(({ name, value }) => name === '' || value === null)
  const wrong: (readonly [EnvironmentField, string])[] = [
    ...(draft.name.trim() === '' ? ([['name', 'Enter a name.']] as const) : []),
    ...(draft.baseUrl.trim() === ''
      ? ([['baseUrl', "Enter the service's base URL."]] as const)
      : []),
    ...(isOdd ? ([['tokenRequestFields', 'Enter one name=value per line.']] as const) : []),
    ...(seconds >= 0.1 && seconds <= 600
      ? []
      : ([['timeoutMs', 'Enter a number of seconds from 0.1 to 600.']] as const)),
  ]
  return wrong.map(([field, message]) => ({ field, message }))
}
