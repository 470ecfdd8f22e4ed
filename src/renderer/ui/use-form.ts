/** State of a form: its draft, the problems at each field, an optional confirmation, and submitting. Every form uses it. */
import {
  useEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
} from 'react'
import type { CallProblem, CallResult } from './call-problem.ts'
import { useEdits } from './dialog.tsx'
import { findingsAtField, type FieldFinding } from './finding-text.tsx'
import type { Consents } from './use-consents.ts'
import { useOutcome, type Action } from './use-outcome.ts'

export interface FormOptions<Draft extends object, T> {
  readonly begin: () => Draft
  /** Validates the draft. A draft with findings isn't submitted, and the first field with one gets the focus. */
  readonly check?: (draft: Draft) => readonly FieldFinding[]
  /** Whether to confirm before sending, for example in a live environment: `confirming` until `send` or `back`. */
  readonly confirms?: (draft: Draft) => boolean
  /** Shows findings even before the form is submitted. */
  readonly early?: boolean
  /** Sends a valid draft. Null if the form calls by other means, with `run` or its consents. */
  readonly submit: (draft: Draft) => Promise<CallResult<T>> | null
  readonly onDone?: (value: T) => void
  /** Replaces the call of `submit`, and asks for consents. */
  readonly consents?: Pick<Consents, 'busy' | 'problem' | 'clear'>
  /** Called on each change, because earlier questions about the draft are then outdated. */
  readonly onChange?: () => void
}

interface FieldProps<Value> {
  readonly value: Value
  readonly problem: ReactNode
  readonly onChange: (value: Value) => void
}

export interface Form<Draft extends object> {
  readonly draft: Draft
  change(part: Partial<Draft>): void
  reset(draft?: Draft): void
  /** Whether the draft differs from its initial value, ignoring surrounding whitespace. */
  readonly dirty: boolean
  /** Whether a field was changed or the form was submitted. */
  isTouched(field: string): boolean
  /** The problem at a field: from validation (once submitted, or always if `early`), or from the last failed call. */
  problemAt(field: string): ReactNode
  /** The props of the field of a member, whose problem may be under another name. */
  field<Name extends keyof Draft & string>(
    name: Name,
    problemName?: string,
  ): FieldProps<Draft[Name]>
  isValid(): boolean
  readonly busy: boolean
  readonly problem: CallProblem | null
  /** Makes another call for this form. */
  readonly run: Action['run']
  /** Clears the problem of the last call, which is outdated. */
  clear(): void
  readonly confirming: boolean
  /** Sends the draft without validating again, after a confirmation. */
  send(): void
  back(): void
  focusFirstInvalid(): void
  /** Props for the form element. */
  readonly element: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly noValidate: true
    readonly onSubmit: (event: SyntheticEvent) => void
  }
}

export function useForm<Draft extends object, T = unknown>(
  options: FormOptions<Draft, T>,
): Form<Draft> {
  const { begin, check, confirms, early = false, submit, onDone, consents, onChange } = options
  const [begun, setBegun] = useState(begin)
  const [draft, setDraft] = useState(begun)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [submitted, setSubmitted] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const ref = useRef<HTMLFormElement>(null)
  const dirty = differs(draft, begun)
  useEdits(dirty)
  const own = useOutcome()
  const { busy, problem } = consents ?? own
  // Validates on demand, once per render: it may use values the component computes after this hook.
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
  const change = (part: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...part }))
    setTouched((now) => new Set([...now, ...Object.keys(part)]))
    outdated()
  }
  const problemAt = (field: string) =>
    findingsAtField(
      [...(early || submitted ? findings() : []), ...(problem?.findings ?? [])],
      field,
    )
  return {
    draft,
    change,
    reset(to = begun) {
      setBegun(to)
      setDraft(to)
      setTouched(new Set())
      setSubmitted(false)
      outdated()
    },
    dirty,
    isTouched: (field) => submitted || touched.has(field),
    problemAt,
    field: (name, problemName = name) => ({
      value: draft[name],
      problem: problemAt(problemName),
      onChange: (value) => change({ [name]: value } as unknown as Partial<Draft>),
    }),
    isValid: () => findings().length === 0,
    busy,
    problem,
    run: own.run,
    clear: outdated,
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

export function differs<Draft extends object>(draft: Draft, begun: Draft): boolean {
  const value = (member: unknown) =>
    Array.isArray(member)
      ? JSON.stringify(member)
      : typeof member === 'string'
        ? member.trim()
        : (member ?? '')
  return (Object.keys(draft) as (keyof Draft)[]).some(
    (name) => !Object.is(value(draft[name]), value(begun[name])),
  )
}

/** A busy window may render the error some frames after it arrives. */
const MOST_FRAMES = 30

function focusFirstInvalid(form: HTMLFormElement | null): void {
  let frames = 0
  const focusField = () => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (field !== null && field !== undefined) field.focus()
    else if (++frames < MOST_FRAMES) requestAnimationFrame(focusField)
  }
  requestAnimationFrame(focusField)
}

/** A value that is typed, once it hasn't changed for a while; its first one at once. */
export function useSettled(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
