/** The dialogs that create and edit an object as JSON. */
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Code } from '../../ui/code.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { SelectField } from '../../ui/select.tsx'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { kindWithArticle, kindNames, objectLine } from './catalogue.ts'
import { changesBetween, readJsonObject } from './json-edit.ts'
import { useObjects, useSandboxPlace } from './use-sandbox.ts'

export function ObjectDialogs() {
  const { kind, id, environment } = useSandboxPlace()
  const listed = useObjects()?.filter((object) => object.kind === kind) ?? []
  const object = listed.find((one) => one.id === id) ?? listed.at(-1) ?? null
  return (
    <>
      <OverlayDialog
        overlay="make-object"
        title={`Create ${kindWithArticle(kind)}`}
        description={`In ${environment}. Fields that you leave out are generated.`}
        wide
      >
        {(close) => <ObjectForm object={null} onDone={close} />}
      </OverlayDialog>
      <OverlayDialog
        overlay="change-object"
        ready={object !== null}
        title={`Edit ${kindNames[kind].one}`}
        {...(object === null ? {} : { description: objectLine(object) })}
        wide
      >
        {(close) => object !== null && <ObjectForm object={object} onDone={close} />}
      </OverlayDialog>
    </>
  )
}

interface ObjectDraft {
  /** ID of the program of a new object; empty for the first one. */
  readonly programId: string
  /** All fields as JSON. */
  readonly text: string
}

/** Returns the changes that a text makes to the data of an object, with the text's problems. */
function readEdit(text: string, data: SandboxObject['data']) {
  const read = readJsonObject(text)
  const edit = changesBetween(data, read.ok ? read.value : data)
  return {
    edit,
    problems: read.ok ? edit.problems.map(({ message }) => ({ message, at: null })) : [read],
    words: [
      ...Object.keys(edit.set).map((path) => `Sets ${path}.`),
      ...edit.unset.map((path) => `Removes ${path}.`),
    ].join(' '),
  }
}

interface ObjectFormProps {
  /** Object to edit; null for a new one. */
  readonly object: SandboxObject | null
  readonly onDone: () => void
}

/** Returns the state of the form of an object, with what saving it does. */
function useObjectForm({ object, onDone }: ObjectFormProps) {
  const { kind, environment, mode } = useSandboxPlace()
  const saveObject = useApp((state) => state.sandbox.saveObject)
  // The object may change while the dialog is open, so only what the user edits is set.
  const [from] = useState(object?.data ?? {})
  const form = useForm<ObjectDraft>({
    begin: () => ({
      programId: '',
      text: object === null ? '{\n  \n}' : JSON.stringify(object.data, null, 2),
    }),
    submit({ programId }) {
      const set = edit.set as InputOf<'sandbox.create'>['set']
      const change = { environment, set }
      return saveObject(
        object === null
          ? { ...change, kind, ...(programId === '' ? {} : { programId }) }
          : { ...change, id: object.id, unset: [...edit.unset] },
      )
    },
    onDone,
  })
  const { edit, problems, words } = readEdit(form.draft.text, from)
  return { form, problems, effect: object === null ? effectOf(kind, mode === 'live') : words }
}

function ObjectForm({ object, onDone }: ObjectFormProps) {
  const { kind, environment, mode } = useSandboxPlace()
  const { form, problems, effect } = useObjectForm({ object, onDone })
  return (
    <form className="flex flex-col gap-3" {...form.formProps}>
      {object === null && kind !== 'brand' && kind !== 'program' && (
        <ProgramField {...form.field('programId')} />
      )}
      <Code
        label="Fields as JSON"
        json
        className={`${object === null ? 'h-40' : 'h-[46vh]'} min-h-40 overflow-hidden rounded-control border border-line`}
        text={form.draft.text}
        onText={(text) => form.change({ text })}
        problems={problems}
      />
      <FormEnd
        form={form}
        live={mode === 'live'}
        action={`${object === null ? `Create ${kindWithArticle(kind)}` : 'Save'} in ${environment}`}
        busyWords={object === null ? 'Creating…' : 'Saving…'}
        onCancel={onDone}
        disabled={problems.length > 0 || effect === ''}
        aside={
          <p
            className="min-w-0 flex-1 basis-48 truncate text-small text-muted"
            title={effect}
            role="status"
          >
            {effect || 'Nothing changed yet.'}
          </p>
        }
      />
    </form>
  )
}

/** Chooses the program of a new object, if there is a choice. */
function ProgramField(field: {
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const programs = useObjects()?.filter((one) => one.kind === 'program') ?? []
  if (programs.length <= 1) return null
  return (
    <SelectField
      label="Program"
      choices={[
        { value: '', label: 'First program' },
        ...programs.map((program) => ({
          value: program.id,
          label: visibleText(program.title),
          note: visibleText(shortIdOf(program.id)),
        })),
      ]}
      {...field}
    />
  )
}

/** Returns a sentence about the notifications that creating an object sends (spec 6.2). */
function effectOf(kind: SandboxObjectKind, live: boolean): string {
  switch (kind) {
    case 'card':
      return 'Sends card.linked.'
    case 'brand':
      return live ? 'Sends nothing until the brand consents.' : 'Sends brand.consent.'
    case 'location':
      return live
        ? 'Sends nothing until a scheme is synced.'
        : 'Sends location.status once per scheme.'
    case 'program':
      return 'Comes with its own brands, locations, cards and an offer. Sends nothing.'
    case 'offer':
    case 'transaction':
      return 'Sends nothing.'
  }
}
