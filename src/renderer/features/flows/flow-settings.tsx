/** Settings of a run: the user's handler and the account or sandbox to run in. */
import { ChevronDown, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import { withScheme } from '../../../shared/http.ts'
import type { FlowPlan } from '../../../shared/model/flow.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import {
  EndpointField,
  HandlerSecretField,
  RegisteredUrlField,
  useEndpoint,
} from '../../ui/endpoint-field.tsx'
import { handlerRef, isUnsaved, namedHandler } from '../../ui/endpoint-offers.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ReachabilityMark, useProbes } from '../handlers/index.ts'
import { accountsOf, flowAccount, flowEndpoint } from './flow-start.ts'

function bareUrl(url: string): string {
  return visibleText(url.replace(/^https?:\/\//, ''))
}

/** The handler of the next run, by name and URL, and whether it is reachable. Opens the run settings. */
export function HandlerButton({
  isOpen,
  onToggle,
}: {
  readonly isOpen: boolean
  readonly onToggle: () => void
}) {
  const endpoint = useApp((state) => flowEndpoint(state.flows.draft, state.core.handlers))
  const { handler, url } = useEndpoint(endpoint)
  useProbes()
  return (
    <Button
      icon={<Server size={13} aria-hidden />}
      aria-expanded={isOpen}
      onClick={onToggle}
      className="max-w-[340px] min-w-0"
    >
      <span className="text-muted">Handler</span>
      {endpoint === '' && <span>None</span>}
      {handler !== null && (
        <span className="data shrink-0 font-medium">{visibleText(handlerRef(handler))}</span>
      )}
      {endpoint !== '' && (
        <span
          className={`data truncate ${handler === null ? '' : 'text-muted max-[1200px]:hidden'}`}
          title={visibleText(url)}
        >
          {bareUrl(url)}
        </span>
      )}
      {handler !== null && (
        <span className="inline-flex shrink-0">
          <ReachabilityMark handler={handler} />
        </span>
      )}
      <ChevronDown size={12} aria-hidden className="shrink-0 text-subtle" />
    </Button>
  )
}

/** Offers to save a typed URL as a handler, with what the form still knows about it. */
export function SaveHandlerButton({ url }: { readonly url: string }) {
  const { draft, handlers, edit } = useAppParts((state) => ({
    draft: state.flows.draft,
    handlers: state.core.handlers,
    edit: state.handlers.edit,
  }))
  if (!isUnsaved(url, handlers)) return null
  const isTyped = draft.url !== null && withScheme(draft.url.trim()) === withScheme(url)
  return (
    <Button
      onClick={() => {
        const { secret, registeredUrl } = isTyped ? draft : { secret: '', registeredUrl: '' }
        edit({
          url,
          secret: secret === '' ? null : secret,
          registeredUrl: registeredUrl.trim() || null,
        })
      }}
    >
      Save as handler…
    </Button>
  )
}

/** The handler of a run, and other settings below it. */
export function HandlerSettings({ children }: { readonly children: ReactNode }) {
  const { draft, changeDraft: change } = useParts('flows', 'draft', 'changeDraft')
  const handlers = useApp((state) => state.core.handlers)
  const endpoint = flowEndpoint(draft, handlers)
  const { handler } = useEndpoint(endpoint)
  return (
    <section
      aria-label="Run settings"
      className="shrink-0 border-b border-line bg-surface px-4 pt-3 pb-4"
    >
      <div className="grid max-w-[960px] grid-cols-2 items-start gap-x-4 gap-y-3 max-[700px]:grid-cols-1">
        <EndpointField
          label="Your handler"
          optional
          value={draft.url ?? endpoint}
          facts={{
            secret: draft.secret === '' ? null : draft.secret,
            registeredUrl: draft.registeredUrl.trim() || null,
          }}
          hint="Deliveries are forwarded to it and its responses are checked. If empty, those steps are skipped."
          onChange={(url) => {
            // A saved handler brings its own secret and registered URL.
            change(
              namedHandler(url, handlers) === null
                ? { url }
                : { url, secret: '', registeredUrl: '' },
            )
          }}
        />
        {handler?.hasSecret !== true && (
          <HandlerSecretField value={draft.secret} onChange={(secret) => change({ secret })} />
        )}
        {handler === null && (
          <RegisteredUrlField
            value={draft.registeredUrl}
            otherwise={endpoint}
            onChange={(registeredUrl) => change({ registeredUrl })}
          />
        )}
        {children}
      </div>
    </section>
  )
}

export function FlowSettings({ plan }: { readonly plan: FlowPlan }) {
  const { draft, changeDraft: change } = useParts('flows', 'draft', 'changeDraft')
  const environments = useApp((state) => state.core.environments)
  const accounts = accountsOf(plan, environments)
  return (
    <HandlerSettings>
      <SelectField
        label="Run in"
        value={flowAccount(draft, plan, environments)}
        hint={
          plan.sandboxOnly ??
          (accounts.length === 0
            ? 'To run in your test account, add it in Settings.'
            : 'Nothing is triggered in an account. The run tells you what to do and waits.')
        }
        onChange={(environment) => change({ environment })}
      >
        <option value="">Isolated sandbox</option>
        {accounts.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      <FlowInputs plan={plan} />
    </HandlerSettings>
  )
}

const labels = {
  amount: 'Amount',
  currency: 'Currency',
  scheme: 'Card scheme',
  location: 'Location',
} as const

/** The inputs of the flow. Those left empty are chosen by the sandbox. */
function FlowInputs({ plan }: { readonly plan: FlowPlan }) {
  const { draft, changeDraft } = useParts('flows', 'draft', 'changeDraft')
  const environments = useApp((state) => state.core.environments)
  if (plan.inputs.length === 0 || flowAccount(draft, plan, environments) !== '') return null
  return (
    <div
      className="col-span-full grid grid-cols-4 gap-x-4 gap-y-3 max-[700px]:grid-cols-2"
      role="group"
      aria-label="Inputs"
    >
      {plan.inputs.map(({ name, choices, example }) => {
        const value = draft.inputs[name] ?? ''
        const change = (text: string) => changeDraft({ inputs: { ...draft.inputs, [name]: text } })
        if (choices.length === 0)
          return (
            <TextField
              key={name}
              label={labels[name]}
              optional
              placeholder={`such as ${example}`}
              value={value}
              onChange={change}
            />
          )
        return (
          <SelectField key={name} label={labels[name]} value={value} onChange={change}>
            <option value="">Any</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </SelectField>
        )
      })}
    </div>
  )
}
