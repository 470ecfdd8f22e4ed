/** The dialogs of a forwarding target: its filter, response and signature, and its removal. */
import { type ForwardTarget, forwardAnswerSchema } from '../../../shared/model/forward.ts'
import { OverlayDialog, ActionForm } from '../../connected/overlay-dialog.tsx'
import { useRead, useData } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { QueryField } from '../../ui/query-field.tsx'
import { SelectField } from '../../ui/select.tsx'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { forwardResponses } from './forwarding.tsx'

export function ForwardDialogs() {
  const about = useApp((state) => state.navigation.about)
  const target = useRead('forward.list', {}).output?.targets.find(({ id }) => id === about) ?? null
  return (
    <>
      <OverlayDialog
        overlay="forward-target"
        ready={target !== null}
        title={`Forward to ${visibleText(target?.name ?? '')}`}
        description="Which deliveries are forwarded, and who responds to the service."
      >
        {(close) => target !== null && <TargetForm target={target} onDone={close} />}
      </OverlayDialog>
      <OverlayDialog overlay="remove-target" ready={target !== null} title="Stop forwarding">
        {(close) => target !== null && <RemoveForm target={target} onDone={close} />}
      </OverlayDialog>
    </>
  )
}

interface FormProps {
  readonly target: ForwardTarget
  readonly onDone: () => void
}

function TargetForm({ target, onDone }: FormProps) {
  const { client } = useData()
  const handler = useApp((state) => state.core.handlers.find(({ id }) => id === target.handlerId))
  const form = useForm({
    begin: () => ({ query: target.query, answer: target.answer, sign: target.sign }),
    submit: ({ query, answer, sign }) =>
      settleCall(
        client.call('forward.update', {
          id: target.id,
          query: query.trim(),
          answer,
          sign,
          // Deliveries forwarded unchanged have no signed URL; the handler brings its own.
          ...(sign === 'as-received'
            ? { registeredUrl: null }
            : handler === undefined
              ? {}
              : { url: handlerRef(handler) }),
        }),
      ),
    onDone,
  })
  const { draft, busy, problem } = form
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <QueryField
        label="Filter"
        optional
        hint="Same syntax as search. Leave empty for all deliveries."
        {...form.field('query')}
      />
      <SelectField
        label="Response to the service"
        hint={forwardResponses[draft.answer].hint}
        choices={forwardAnswerSchema.options.map((value) => ({
          value,
          label: forwardResponses[value].label,
        }))}
        {...form.field('answer')}
      />
      <SelectField
        label="Signature"
        hint={
          draft.sign === 'now'
            ? 'Only valid, fresh deliveries are re-signed. Others are forwarded unchanged.'
            : 'Signature and timestamp stay unchanged, so delayed deliveries may be stale.'
        }
        choices={[
          { value: 'now', label: 'Re-sign on send' },
          { value: 'as-received', label: 'As received' },
        ]}
        {...form.field('sign')}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Save" busyWords="Saving…" busy={busy} />
    </form>
  )
}

function RemoveForm({ target, onDone }: FormProps) {
  const { client } = useData()
  const select = useApp((state) => state.navigation.select)
  const { waiting } = target.queue
  return (
    <ActionForm
      call={async () => {
        const outcome = await settleCall(client.call('forward.remove', { id: target.id }))
        if (outcome.ok) select('forward', {})
        return outcome
      }}
      onDone={onDone}
      action="Stop forwarding"
      busyWords="Removing…"
      danger
    >
      <p className="wrap-anywhere">{visibleText(target.url)}</p>
      <p className="text-muted">
        Deliveries are no longer forwarded to it.{' '}
        {waiting > 0 &&
          `${waiting === 1 ? '1 pending delivery' : `${waiting} pending deliveries`} won't be sent. `}
        Captured deliveries and past results stay.
      </p>
    </ActionForm>
  )
}
