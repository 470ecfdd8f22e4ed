/** The worker that compares bodies, with the types of its questions and answers. */
import {
  type ComparedStructure,
  compareStructure,
  compareText,
} from '../../../shared/diff/compare-bodies.ts'
import type { ComparedRows, OpenedFolds } from '../../../shared/diff/rows.ts'
import type { VolatileFields } from '../../../shared/diff/volatile-fields.ts'

export type CompareQuestion =
  | {
      readonly what: 'structure'
      readonly left: string
      readonly right: string
      readonly volatile: VolatileFields
      readonly opened?: OpenedFolds
    }
  | { readonly what: 'text'; readonly left: string; readonly right: string }

export interface Answers {
  readonly structure: ComparedStructure
  readonly text: ComparedRows
}

function answer(question: CompareQuestion): Answers[keyof Answers] {
  switch (question.what) {
    case 'structure':
      return compareStructure(question.left, question.right, question.volatile, question.opened)
    case 'text':
      return compareText(question.left, question.right, { formatsJson: true })
  }
}

self.addEventListener(
  'message',
  (event: MessageEvent<{ id: number; question: CompareQuestion }>) => {
    const { id, question } = event.data
    self.postMessage({ id, answer: answer(question) })
  },
)
