/** What the worker is asked, and what it answers. */
import type { ComparedStructure, ComparedText } from '../../../shared/diff/compare-bodies.ts'
import { comparePatch, compareStructure, compareText } from '../../../shared/diff/compare-bodies.ts'
import type { VolatileFields } from '../../../shared/diff/volatile.ts'

export type CompareQuestion =
  | { readonly what: 'structure'; readonly left: string; readonly right: string; readonly volatile: VolatileFields }
  | { readonly what: 'text'; readonly left: string; readonly right: string; readonly format: boolean }
  | { readonly what: 'patch'; readonly left: string; readonly right: string }

export interface Answers {
  readonly structure: ComparedStructure
  readonly text: ComparedText
  readonly patch: string | null
}

export function answer(question: CompareQuestion): Answers[keyof Answers] {
  switch (question.what) {
    case 'structure':
      return compareStructure(question.left, question.right, question.volatile)
    case 'text':
      return compareText(question.left, question.right, question.format)
    case 'patch':
      return comparePatch(question.left, question.right)
  }
}
