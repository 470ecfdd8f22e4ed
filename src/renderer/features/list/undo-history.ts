/** The undo history, newest first: marks, which can be redone too, and deletions for a limited time. Pure. */

export interface UndoStep {
  undo(): void
  /** Null if it can't be redone. */
  readonly redo: (() => void) | null
  /** Until when it can be undone, by the history's clock. */
  readonly until: number
}

interface UndoHistory {
  did(step: UndoStep): void
  /** Removes a step that was undone another way or never happened. */
  forget(step: UndoStep): void
  /** Undoes the last step. Returns whether there was one. */
  undo(): boolean
  redo(): boolean
}

const MOST_STEPS = 100

export function createUndoHistory(now: () => number): UndoHistory {
  let done: readonly UndoStep[] = []
  let undone: readonly UndoStep[] = []
  return {
    did(step) {
      done = [...done, step].slice(-MOST_STEPS)
      undone = []
    },
    forget(step) {
      done = done.filter((one) => one !== step)
      undone = undone.filter((one) => one !== step)
    },
    undo() {
      done = done.filter(({ until }) => until >= now())
      const step = done.at(-1)
      if (step === undefined) return false
      done = done.slice(0, -1)
      if (step.redo !== null) undone = [...undone, step]
      step.undo()
      return true
    },
    redo() {
      const step = undone.at(-1)
      if (step?.redo === undefined || step.redo === null) return false
      undone = undone.slice(0, -1)
      done = [...done, step]
      step.redo()
      return true
    },
  }
}
