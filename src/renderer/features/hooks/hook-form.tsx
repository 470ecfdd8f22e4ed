/**
 * The form that registers a hook through the service's API, or changes one. Its problems appear
 * while typing.
 */
import { useState } from 'react'
import { hookAddSchema, type Hook } from '../../../shared/model/hook.ts'
import { hookKindOf, isEventType } from '../../../shared/service/event-type.ts'
import { isOfSandbox } from '../../core-data/environments.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { InputForm, rootOf, useInputForm } from '../../connected/input-form.tsx'
import { useCall } from '../../ui/use-call.ts'
import { useHookEnvironments } from './use-environments.ts'
import { useHookCheck, type ProposedValues } from './use-hook-check.ts'
import { Warnings, SavedWithWarnings } from './warnings.tsx'

function kindSentence(event: string): string {
  if (!isEventType(event))
    return 'Not in the spec: registered as a program hook with a program ID, otherwise as a brand hook.'
  const kind = hookKindOf(event)
  if (kind === null) return "The spec names this event but doesn't show how to register it."
  return kind === 'brand'
    ? 'Brand hook: one for the whole account, no program.'
    : 'Program hook: receives events for one program.'
}

interface HookFormProps {
  /** Hook to edit; null for a new one. */
  readonly hook: Hook | null
  readonly onDone: () => void
}

/** Returns the state of the form, with what the check advises and the warnings once it is sent. */
function useHookForm({ hook, onDone }: HookFormProps) {
  const { current } = useHookEnvironments()
  const { initialValues, select } = useAppParts(({ hooks, navigation }) => ({
    initialValues: hooks.initialValues,
    select: navigation.select,
  }))
  const call = useCall()
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const [proposed, setProposed] = useState<ProposedValues>({ programId: '', event: '', url: '' })
  const form = useInputForm<
    typeof hookAddSchema,
    { readonly hook: Hook; readonly warnings: readonly Finding[] }
  >({
    schema: hookAddSchema,
    begin: () => ({
      environment: current,
      event: 'transaction.auth',
      ...hook,
      ...initialValues,
    }),
    proposed: ({ event }) => ({
      programId: proposed.programId,
      url: event === proposed.event ? proposed.url : '',
    }),
    shows: (field) =>
      hook === null ? true : field === 'offerId' ? hook.offerId !== null : field !== 'environment',
    check: () => (advice.isCurrent ? findings : []),
    submit(input) {
      const { event, url, programId, headers = {} } = input
      // An update always sends the whole hook (spec 4.1).
      return hook === null
        ? call('hooks.add', input)
        : call('hooks.update', { id: hook.id, event, url, programId, headers })
    },
    onDone({ hook: { id }, warnings }) {
      select('hooks', { id })
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const advice = useHookCheck(form.input, proposed, setProposed)
  // A hook that is edited is checked like a new one, which would count it twice.
  const findings = advice.findings.filter(({ rule }) => hook === null || rule !== 'url-limit')
  const problemAt = (field: string) =>
    form.problemAt(field) ??
    (hook !== null || form.isTouched(rootOf(field)) ? findingsAtField(findings, field) : undefined)
  return { form: { ...form, problemAt }, advice, afterwards }
}

export function HookForm({ hook, onDone }: HookFormProps) {
  const { urlOf, isLive } = useHookEnvironments()
  const { form, advice, afterwards } = useHookForm({ hook, onDone })
  const { environment = '', event } = form.input
  const live = isLive(form.input)
  if (afterwards.length > 0)
    return (
      <SavedWithWarnings warnings={afterwards} onDone={onDone}>
        Hook for <span className="data">{event}</span> {hook === null ? 'registered' : 'updated'}.
      </SavedWithWarnings>
    )
  return (
    <InputForm
      form={form}
      extra={{
        environment: { hint: live ? liveHint(environment) : urlOf(environment) },
        event: { hint: kindSentence(event) },
        programId: {
          hint: advice.nameOf(form.input.programId) ?? '',
          suggestions: advice.programs.map((value) => ({
            value,
            note: advice.nameOf(value) ?? '',
          })),
        },
        ...(hook === null
          ? {}
          : {
              offerId: {
                readOnly: true,
                hint: "Can't be changed: updates accept only program, event, URL and headers (spec 4.1). Delete the hook and register a new one instead.",
              },
            }),
      }}
      below={
        <>
          <Warnings warnings={advice.warnings} />
          {form.problem?.code === 'SERVICE_TIMEOUT' && hook === null && (
            <p className="text-small text-muted">It's listed as unconfirmed, with next steps.</p>
          )}
        </>
      }
      live={live}
      action={`${hook === null ? 'Register' : 'Save'} in ${environment}`}
      busyWords={hook === null ? 'Registering…' : 'Saving…'}
      onCancel={onDone}
    />
  )
}

function liveHint(environment: string): string {
  return isOfSandbox(environment)
    ? 'Live mode of the sandbox: no real cards or money, but the same confirmations.'
    : "Live: real cards and money. You'll be asked to confirm."
}
