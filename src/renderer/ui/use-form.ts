/** A form: its draft, what is wrong at each field, whether it asks before it sends, and sending it. Every form of the window uses it. */
import { useRef, useState, type ReactNode, type RefObject, type SyntheticEvent } from 'react'
import type { ZodType } from 'zod'
import type { CallProblem, Outcome } from './call-problem.ts'
import { findingsAtField, type FieldFinding } from './finding-text.tsx'
import type { Consents } from './use-consents.ts'
import { useOutcome, type Action } from './use-outcome.ts'

export interface FormOptions<Draft extends object, T> {
  readonly begin: () => Draft
  /** What is wrong with a draft: it is not sent, and the first field of a finding gets the focus. */
  readonly check?: (draft: Draft) => readonly FieldFinding[]
  /** Whether it asks before it sends, as for a live environment: `confirming` until `send` or `back`. */
  readonly confirms?: (draft: Draft) => boolean
  /** Shows what the check finds before the form was submitted, too. */
  readonly early?: boolean
  /** Sends a draft without findings. Null: it makes the call in another way, by `run` or by its consents. */
  readonly submit: (draft: Draft) => Promise<Outcome<T>> | null
  readonly onDone?: (value: T) => void
  /** Makes the call of `submit` in its place, and asks for consents. */
  readonly consents?: Pick<Consents, 'busy' | 'problem' | 'clear'>
  /** Hears of each change: what was asked about the draft before is out of date. */
  readonly onChange?: () => void
}

export interface Form<Draft extends object> {
  readonly draft: Draft
  change(part: Partial<Draft>): void
  /** Begins again, with another draft if one is given. */
  reset(draft?: Draft): void
  /** Whether the draft differs from its beginning; whitespace around a text does not count. */
  readonly dirty: boolean
  /** Whether a field was changed, or the form was submitted. */
  isTouched(field: string): boolean
  /** What is wrong at a field: once submitted, what the check finds (early: always); and what the last call was rejected for. */
  problemAt(field: string): ReactNode
  /** Whether the check finds nothing. */
  isValid(): boolean
  readonly busy: boolean
  readonly problem: CallProblem | null
  /** Makes another call for this form. */
  readonly run: Action['run']
  readonly confirming: boolean
  /** Sends the draft as it is: what a confirmation does. */
  send(): void
  back(): void
  focusFirstInvalid(): void
  /** For the form's element. */
  readonly element: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly noValidate: true
    readonly onSubmit: (event: SyntheticEvent) => void
  }
}

export function useForm<Draft extends object, T = unknown>(options: FormOptions<Draft, T>): Form<Draft> {
  const { begin, check, confirms, early = false, submit, onDone, consents, onChange } = options
  const [begun, setBegun] = useState(begin)
  const [draft, setDraft] = useState(begun)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [submitted, setSubmitted] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const ref = useRef<HTMLFormElement>(null)
  const own = useOutcome()
  const { busy, problem } = consents ?? own
  // When it is asked for, and once a render: a check may read what the component works out after this hook.
  let found: readonly FieldFinding[] | null = null
  const findings = () => (found ??= check?.(draft) ?? [])

  const send = async () => {
    const call = submit(draft)
    if (call === null) return
    const value = await own.run(() => call)
    setConfirming(false)
    if (value === null) focusFirstInvalid(ref.current)
    else onDone?.(value)
  }
  const outdated = () => {
    setConfirming(false)
    own.clear()
    consents?.clear()
    onChange?.()
  }
  return {
    draft,
    change(part) {
      setDraft((now) => ({ ...now, ...part }))
      setTouched((now) => new Set([...now, ...Object.keys(part)]))
      outdated()
    },
    reset(to = begun) {
      setBegun(to)
      setDraft(to)
      setTouched(new Set())
      setSubmitted(false)
      outdated()
    },
    dirty: differs(draft, begun),
    isTouched: (field) => submitted || touched.has(field),
    problemAt: (field) => findingsAtField([...(early || submitted ? findings() : []), ...(problem?.findings ?? [])], field),
    isValid: () => findings().length === 0,
    busy,
    problem,
    run: own.run,
    confirming,
    send: () => void send(),
    back() {
      setConfirming(false)
    },
    focusFirstInvalid() {
      focusFirstInvalid(ref.current)
    },
    element: {
      ref,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault()
        setSubmitted(true)
        if (findings().length > 0) focusFirstInvalid(ref.current)
        else if (confirms?.(draft) === true) setConfirming(true)
        else void send()
      },
    },
  }
}

/** A check by a schema: the message of each issue, at its field. */
export function bySchema(schema: ZodType): (draft: unknown) => readonly FieldFinding[] {
  return (draft) =>
    (schema.safeParse(draft).error?.issues ?? []).map(({ path, message }) => ({
      field: path.join('.'),
      message,
    }))
}

export function differs<Draft extends object>(draft: Draft, begun: Draft): boolean {
  const value = (member: unknown) => (typeof member === 'string' ? member.trim() : member)
  return (Object.keys(draft) as (keyof Draft)[]).some((name) => !Object.is(value(draft[name]), value(begun[name])))
}

/** A busy window draws a rejection some frames after it came. */
const MOST_FRAMES = 30

function focusFirstInvalid(form: HTMLFormElement | null): void {
  let frames = 0
  const look = () => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (field !== null && field !== undefined) field.focus()
    else if (++frames < MOST_FRAMES) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
