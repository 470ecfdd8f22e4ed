/** State of a form: its draft, the problems at each field, and submitting. */
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
import { useCallState, type CallState } from './use-call.ts'

export interface FormOptions<Draft extends object, T> {
  readonly begin: () => Draft
  /**
   * Validates the draft; with findings it isn't submitted, and the first invalid field gets the
   * focus.
   */
  readonly check?: (draft: Draft) => readonly FieldFinding[]
  /** Whether problems are shown before the form is submitted. */
  readonly early?: boolean
  /** Sends a valid draft; returns null if the form makes its own call with `run`. */
  readonly submit: (draft: Draft) => Promise<CallResult<T>> | null
  readonly onDone?: (value: T) => void
  /** Called on each change, which replaces earlier results for the draft. */
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
  /**
   * Returns the problem at a field: from validation (once submitted, or if `early`), or from the
   * call.
   */
  problemAt(field: string): ReactNode
  /**
   * Returns the props of the field for a member of the draft, with the problem at `problemName`.
   */
  field<Name extends keyof Draft & string>(
    name: Name,
    problemName?: string,
  ): FieldProps<Draft[Name]>
  isValid(): boolean
  readonly busy: boolean
  readonly problem: CallProblem | null
  /** Makes another call for this form. */
  readonly run: CallState['run']
  clear(): void
  focusFirstInvalid(): void
  readonly formProps: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly noValidate: true
    readonly onSubmit: (event: SyntheticEvent) => void
  }
}

export function useForm<Draft extends object, T = unknown>(
  options: FormOptions<Draft, T>,
): Form<Draft> {
  const { begin, check, early = false, submit, onDone, onChange } = options
  const [initialDraft, setInitialDraft] = useState(begin)
  const [draft, setDraft] = useState(initialDraft)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [submitted, setSubmitted] = useState(false)
  const ref = useRef<HTMLFormElement>(null)
  const dirty = differs(draft, initialDraft)
  useEdits(dirty)
  const { busy, problem, run, clear } = useCallState()
  // Validates on demand, because `check` may use values that the component computes after this
  // hook.
  const findings = () => check?.(draft) ?? []

  const send = async () => {
    const call = submit(draft)
    if (call === null) return
    const value = await run(() => call)
    if (value === null) focusFirstInvalid(ref.current)
    else onDone?.(value)
  }
  const clearOutdated = () => {
    clear()
    onChange?.()
  }
  const change = (part: Partial<Draft>) => {
    setDraft((current) => ({ ...current, ...part }))
    setTouched((current) => new Set([...current, ...Object.keys(part)]))
    clearOutdated()
  }
  const problemAt = (field: string) =>
    findingsAtField(
      [...(early || submitted ? findings() : []), ...(problem?.findings ?? [])],
      field,
    )
  return {
    draft,
    change,
    reset(to = initialDraft) {
      setInitialDraft(to)
      setDraft(to)
      setTouched(new Set())
      setSubmitted(false)
      clearOutdated()
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
    run,
    clear: clearOutdated,
    focusFirstInvalid() {
      focusFirstInvalid(ref.current)
    },
    formProps: {
      ref,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault()
        setSubmitted(true)
        if (findings().length > 0) focusFirstInvalid(ref.current)
        else void send()
      },
    },
  }
}

export function differs<Draft extends object>(draft: Draft, initial: Draft): boolean {
  const value = (member: unknown) =>
    Array.isArray(member)
      ? JSON.stringify(member)
      : typeof member === 'string'
        ? member.trim()
        : (member ?? '')
  return (Object.keys(draft) as (keyof Draft)[]).some(
    (name) => !Object.is(value(draft[name]), value(initial[name])),
  )
}

/** Frames to wait for an error to be rendered in a busy window. */
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

/** Returns a typed value once it hasn't changed for a while; the first one at once. */
export function useSettled(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
