/** The dialogs of environments: add, change, remove. Errors from the core are shown at the field they are about. */
import { type ReactNode, useState } from 'react'
import { DEFAULT_API_VERSION, type Environment } from '../../../shared/model/environment.ts'
import { isOfSandbox } from '../../state/environments.ts'
import { useApp } from '../../state/use-app.ts'
import { useCall } from '../../ui/use-outcome.ts'
import type { CallResult } from '../../ui/call-problem.ts'
import { FormFoot } from '../../ui/dialog.tsx'
import { ActionForm, OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { SecretField, TextAreaField, TextField } from '../../ui/field.tsx'
import { PrefixField } from '../../ui/prefix-field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { Segments } from '../../ui/segments.tsx'
import { type Form, useForm } from '../../ui/use-form.ts'
import { AuthorityField } from '../../ui/authority-field.tsx'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'

const modes = [
  { value: 'test', label: 'Test' },
  { value: 'live', label: 'Live' },
] as const
const acks = [
  { value: '200', label: '200 only' },
  { value: '2xx', label: 'Any 2xx' },
] as const

export function EnvironmentDialog() {
  const environment = useApp(
    ({ core, navigation: { about } }) =>
      core.environments.find(({ name }) => name === about) ?? null,
  )
  const own = environment !== null && isOfSandbox(environment.name) ? environment : null
  return (
    <OverlayDialog
      overlay="environment"
      title={environment === null ? 'Add environment' : `Edit ${environment.name}`}
      description={
        own === null
          ? 'A service account in one mode: base URL and credentials.'
          : 'Managed by the sandbox. Only its header prefix and trusted CA certificate can be changed.'
      }
    >
      {(close) =>
        own === null ? (
          <EnvironmentForm environment={environment} onDone={close} />
        ) : (
          <SandboxForm environment={own} onDone={close} />
        )
      }
    </OverlayDialog>
  )
}

function EnvironmentForm({
  environment,
  onDone,
}: {
  readonly environment: Environment | null
  readonly onDone: () => void
}) {
  const call = useCall()
  const isNew = environment === null
  const form = useForm<EnvironmentDraft>({
    begin: () => (environment === null ? newEnvironment : draftOfEnvironment(environment)),
    check: wrongInDraft,
    submit: (draft): Promise<CallResult<unknown>> =>
      isNew
        ? call('environments.add', additionOf(draft))
        : call('environments.update', changeOf(draft)),
    onDone,
  })
  const { draft, change, field, busy, problem } = form
  const hasSecret = environment?.auth === draft.auth && environment.key !== null
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      {isNew && (
        <>
          <TextField
            label="Name"
            hint="Letters, digits, dots, dashes and underscores. Can't be changed later."
            {...field('name')}
          />
          <Choice name="Mode" note="Must match your key. Can't be changed later.">
            <Segments
              label="Mode"
              options={modes}
              value={draft.mode}
              onChange={(mode) => change({ mode })}
            />
          </Choice>
        </>
      )}
      <TextField
        label="Base URL"
        inputMode="url"
        placeholder="https://api.example.com"
        hint="With or without the API version"
        {...field('baseUrl')}
      />
      <TextField
        label="API version"
        optional
        placeholder={newEnvironment.apiVersion}
        hint={
          <>
            Start of all paths:{' '}
            <span className="data">
              /{draft.apiVersion.trim() || newEnvironment.apiVersion}/hooks
            </span>
          </>
        }
        {...field('apiVersion')}
      />
      <CredentialFields form={form} hasSecret={hasSecret} />
      <PrefixField {...field('prefix')} />
      <Choice
        name="Acknowledged by"
        note="Responses that count as acknowledgement (the spec says 200)"
      >
        <Segments
          label="Acknowledged by"
          options={acks}
          value={draft.ack}
          onChange={(ack) => change({ ack })}
        />
      </Choice>
      <ConnectionFields form={form} />
      {problem !== null && <ProblemView problem={problem} covered={environmentFields} />}
      <FormFoot
        onCancel={onDone}
        action={isNew ? 'Add environment' : 'Save environment'}
        busyWords="Saving…"
        busy={busy}
      />
    </form>
  )
}

/** Removes an environment after confirmation. The core refuses if it still has hooks. */
export function RemoveEnvironmentDialog() {
  const name = useApp((state) => state.navigation.about)
  return (
    <OverlayDialog overlay="remove-environment" ready={name !== null} title="Remove environment">
      {(close) => name !== null && <Confirmation name={name} onDone={close} />}
    </OverlayDialog>
  )
}

function Confirmation({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const call = useCall()
  const live = useApp(
    ({ core }) =>
      core.environments.find((environment) => environment.name === name)?.mode === 'live',
  )
  return (
    <ActionForm
      call={() => call('environments.remove', { name })}
      onDone={onDone}
      action={`Remove ${name}${live ? ' (live)' : ''}`}
      busyWords="Removing…"
      danger
    >
      <p>
        <span className="font-medium">{name}</span>
        {live && ' (live)'} and its key will be removed from Countersign. Nothing is sent to the
        service. You can't undo this.
      </p>
    </ActionForm>
  )
}

function SandboxForm({
  environment: { name, prefix: named, caPem: kept },
  onDone,
}: {
  readonly environment: Environment
  readonly onDone: () => void
}) {
  const call = useCall()
  const form = useForm({
    begin: () => ({ prefix: named, caPem: kept ?? '' }),
    submit: ({ prefix, caPem }) =>
      call('environments.update', {
        name,
        prefix: prefix.trim(),
        caPem: caPem.trim() || null,
      }),
    onDone,
  })
  const { problem } = form
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <PrefixField {...form.field('prefix')} />
      <AuthorityField
        hint="PEM. The sandbox then trusts endpoints with a certificate from this CA, in addition to the system's."
        without="No additional CA"
        {...form.field('caPem')}
      />
      {problem !== null && <ProblemView problem={problem} covered={['prefix', 'caPem']} />}
      <FormFoot
        onCancel={onDone}
        action="Save environment"
        busyWords="Saving…"
        busy={form.busy}
        disabled={!form.dirty}
      />
    </form>
  )
}

// Optional connection settings: CA certificate, proxy and timeout.

function ConnectionFields({
  form: { draft, field, problemAt },
}: Pick<EnvironmentFieldsProps, 'form'>) {
  // Open if any of them is set.
  const [opened, setOpened] = useState(
    () => draft.caPem !== '' || draft.proxy !== '' || draft.timeout !== newEnvironment.timeout,
  )
  const isWrong = (['caPem', 'proxy', 'timeoutMs'] as const).some(
    (name) => problemAt(name) !== undefined,
  )
  return (
    <details open={opened || isWrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className="w-fit rounded-small text-muted">
        Connection: CA certificate, proxy, timeout
      </summary>
      <div className="mt-3 flex flex-col gap-3.5">
        <AuthorityField
          hint="PEM. Trusted for this environment, in addition to the system's."
          without="Trust only the system's"
          {...field('caPem')}
        />
        <TextField
          label="Proxy"
          optional
          inputMode="url"
          placeholder="http://"
          hint="Leave empty for none"
          {...field('proxy')}
        />
        <TextField
          label="Timeout in seconds"
          optional
          inputMode="decimal"
          placeholder={newEnvironment.timeout}
          {...field('timeout', 'timeoutMs')}
        />
      </div>
    </details>
  )
}

// How to authenticate: a secret key, or client id and secret for a token (spec 5.1 and 5.3).

const names = [
  { name: 'tokenField', label: 'Access token field', usual: 'access_token', hint: undefined },
  {
    name: 'refreshTokenField',
    label: 'Refresh token field',
    usual: 'refresh_token',
    hint: 'Used in responses and requests',
  },
  {
    name: 'expiryField',
    label: 'Expiry field',
    usual: 'expires_in',
    hint: 'Seconds or a timestamp',
  },
] as const
const fields = [...names.map(({ name }) => name), 'tokenRequestFields'] as const

/** Names in a token response and extra fields of its request, for endpoints that don't use the usual ones. */
function TokenFields({ form: { draft, field, problemAt } }: Pick<EnvironmentFieldsProps, 'form'>) {
  // Open if any of them is set.
  const [opened, setOpened] = useState(() => fields.some((name) => draft[name] !== ''))
  const isWrong = fields.some((name) => problemAt(name) !== undefined)
  return (
    <details open={opened || isWrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className="w-fit rounded-small text-muted">Token fields</summary>
      <div className="mt-3 flex flex-col gap-3.5">
        {names.map(({ name, label, usual, hint }) => (
          <TextField
            key={name}
            label={label}
            optional
            placeholder={usual}
            hint={hint}
            {...field(name)}
          />
        ))}
        <TextAreaField
          label="Extra request fields"
          optional
          rows={2}
          placeholder="scope=hooks"
          hint="One name=value per line. Stored as plain text."
          {...field('tokenRequestFields')}
        />
      </div>
    </details>
  )
}

/** A labeled choice with a note. The control has the accessible name. */
function Choice({
  name,
  note,
  children,
}: {
  readonly name: string
  readonly note: string
  readonly children: ReactNode
}) {
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-small font-medium text-muted" aria-hidden>
        {name}
      </p>
      {children}
      <p className="text-small text-subtle">{note}</p>
    </div>
  )
}

const kinds = [
  { value: 'service-key', label: 'Service key' },
  { value: 'bearer', label: 'Bearer token' },
] as const

const forms = [
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form' },
] as const

function CredentialFields({ form, hasSecret }: EnvironmentFieldsProps) {
  const { draft, change, field } = form
  const kept = hasSecret ? { placeholder: 'unchanged' } : {}
  return (
    <>
      <Choice name="Authentication" note="Bearer tokens are announced for API version 2.0">
        <Segments
          label="Authentication"
          options={kinds}
          value={draft.auth}
          onChange={(auth) => change({ auth })}
        />
      </Choice>
      {draft.auth === 'service-key' ? (
        <SecretField
          label="Secret key"
          hint="Starts with sk. Public keys (pk…) don't work."
          {...field('key')}
          {...kept}
        />
      ) : (
        <>
          <TextField label="Client ID" {...field('clientId')} />
          <SecretField label="Client secret" {...field('clientSecret')} {...kept} />
          <TextField
            label="Token URL"
            inputMode="url"
            hint="Full URL or a path under the base URL, such as /oauth/token"
            {...field('tokenUrl')}
            placeholder="https://"
          />
          <Choice name="Token request" note="How request fields are encoded">
            <Segments
              label="Token request"
              options={forms}
              value={draft.tokenForm}
              onChange={(tokenForm) => change({ tokenForm })}
            />
          </Choice>
          <TextField
            label="Token header"
            optional
            hint="Sent as Bearer …"
            placeholder="Authentication"
            {...field('authHeader')}
          />
          <TokenFields form={form} />
        </>
      )}
    </>
  )
}

// The draft of the environment form and its input for the core.

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

/** Name and mode stay. An empty secret keeps the stored one. */
export function changeOf(draft: EnvironmentDraft): InputOf<'environments.update'> {
  return commonOf(draft)
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
