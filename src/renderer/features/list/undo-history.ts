/** What was done and can be taken back, the last first: marks, which can be done again too, and deletions for as long as that lasts. Pure. */

export interface UndoStep {
  undo(): void
  /** Null where it cannot be done again. */
  readonly redo: (() => void) | null
  /** Until when it can be undone, by the clock of the history. */
  readonly until: number
}

export interface UndoHistory {
  did(step: UndoStep): void
  /** It was undone another way, or never came about. */
  forget(step: UndoStep): void
  /** Takes the last step back; whether there was one. */
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
