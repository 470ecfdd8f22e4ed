/** Recording hooks that were made elsewhere, and showing their secrets on demand. */
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import type { Hook, HookImport } from '../../../shared/model/hook.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'

export interface HookProblem {
  /** The field that it is about, or null for the form as a whole. */
  readonly field: keyof HookImport | null
  readonly message: string
}

export interface HooksSlice {
  readonly importing: boolean
  readonly importProblems: readonly HookProblem[]
  /** Resolves with the hook, or null where it was refused; the problems then say why. */
  importHook(input: HookImport): Promise<Hook | null>
  clearImportProblems(): void
  /** The secret of a hook, or null where it cannot be had; the user is told why. */
  revealSecret(id: string): Promise<string | null>
}

const fields = ['event', 'url', 'secret', 'programId', 'offerId', 'environment'] as const satisfies readonly (keyof HookImport)[]

const required = [
  { field: 'event', message: 'Name the event that the hook is registered for.' },
  { field: 'url', message: 'Give the URL exactly as it is registered.' },
  { field: 'secret', message: 'Give the hook’s secret: signatures are checked with it.' },
] as const

export function createHooksSlice({ client, notify }: SliceContext): StateCreator<HooksSlice> {
  return (set) => ({
    importing: false,
    importProblems: [],
    async importHook(input) {
      const missing = required.filter(({ field }) => input[field] === '')
      if (missing.length > 0) {
        set({ importProblems: missing })
        return null
      }
      set({ importing: true, importProblems: [] })
      try {
        return await client.call('hooks.import', input)
      } catch (error) {
        set({ importProblems: problemsOf(error) })
        return null
      } finally {
        set({ importing: false })
      }
    },
    clearImportProblems() {
      set({ importProblems: [] })
    },
    async revealSecret(id) {
      try {
        return (await client.call('hooks.reveal', { id })).secret
      } catch (error) {
        if (!isQuiet(error)) notify({ tone: 'bad', title: 'The secret cannot be shown', message: sentenceOf(error) })
        return null
      }
    },
  })
}

/** Puts each problem to its field, as far as the error tells: by its findings, else by the field that the sentence begins with. */
export function problemsOf(error: unknown): readonly HookProblem[] {
  const message = sentenceOf(error)
  const findings = error instanceof AppError && Array.isArray(error.details) ? error.details.flatMap(toProblem) : []
  if (findings.length > 0) return findings
  const named = /^(?:hooks\.import: )?(\w+):/.exec(message)?.[1]
  return [{ field: fieldNamed(named), message }]
}

function toProblem(finding: unknown): HookProblem[] {
  if (typeof finding !== 'object' || finding === null) return []
  const { field, message } = finding as Record<string, unknown>
  return typeof message === 'string' ? [{ field: fieldNamed(field), message }] : []
}

function fieldNamed(name: unknown): keyof HookImport | null {
  return fields.find((field) => field === name) ?? null
}
