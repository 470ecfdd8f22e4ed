/** Settings of a run: the user's handler and the account or sandbox to run in. */
import type { ReactNode } from 'react'
import type { FlowPlan } from '../../../shared/model/flow-run.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { EndpointField, HandlerSecretField, RegisteredUrlField, useEndpoint } from '../../ui/endpoint-field.tsx'
import { namedHandler } from '../../ui/endpoint-offers.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { accountsOf, flowAccount, flowEndpoint } from './flow-start.ts'

/** The handler of a run, and other settings below it. */
export function HandlerSettings({ children }: { readonly children: ReactNode }) {
  const { draft, changeDraft: change } = useParts('flows', 'draft', 'changeDraft')
  const handlers = useApp((state) => state.core.handlers)
  const endpoint = flowEndpoint(draft, handlers)
  const { handler } = useEndpoint(endpoint)
  return (
    <section aria-label="Run settings" className="shrink-0 border-b border-line bg-surface px-4 pt-3 pb-4">
      <div className="grid max-w-[960px] grid-cols-2 items-start gap-x-4 gap-y-3 max-[700px]:grid-cols-1">
        <EndpointField
          label="Your handler"
          optional
          value={draft.url ?? endpoint}
          facts={{ secret: draft.secret === '' ? null : draft.secret, registeredUrl: draft.registeredUrl.trim() || null }}
          hint="Deliveries are forwarded to it and its responses are checked. If empty, those steps are skipped."
          onChange={(url) => {
            // A saved handler brings its own secret and registered URL.
            change(namedHandler(url, handlers) === null ? { url } : { url, secret: '', registeredUrl: '' })
          }}
        />
        {handler?.hasSecret !== true && (
          <HandlerSecretField
            value={draft.secret}
            onChange={(secret) => {
              change({ secret })
            }}
          />
        )}
        {handler === null && (
          <RegisteredUrlField
            value={draft.registeredUrl}
            otherwise={endpoint}
            onChange={(registeredUrl) => {
              change({ registeredUrl })
            }}
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
        onChange={(environment) => {
          change({ environment })
        }}
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

const labels = { amount: 'Amount', currency: 'Currency', scheme: 'Card scheme', location: 'Location' } as const

/** The inputs of the flow. Those left empty are chosen by the sandbox. */
function FlowInputs({ plan }: { readonly plan: FlowPlan }) {
  const { draft, changeDraft } = useParts('flows', 'draft', 'changeDraft')
  const environments = useApp((state) => state.core.environments)
  if (plan.inputs.length === 0 || flowAccount(draft, plan, environments) !== '') return null
  return (
    <div className="col-span-full grid grid-cols-4 gap-x-4 gap-y-3 max-[700px]:grid-cols-2" role="group" aria-label="Inputs">
      {plan.inputs.map(({ name, choices, example }) => {
        const value = draft.inputs[name] ?? ''
        const change = (text: string) => {
          changeDraft({ inputs: { ...draft.inputs, [name]: text } })
        }
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
