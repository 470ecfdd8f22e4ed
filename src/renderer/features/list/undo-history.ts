/** The history of steps that the undo key undoes. */
export interface UndoStep {
  undo(): void
  /** Time until which the step can be undone, by the history's clock. */
  readonly until: number
}

const MAX_STEPS = 100

/** Steps that can be undone: changes of marks, and deletions for a limited time. */
export class UndoHistory {
  readonly #now: () => number
  #steps: readonly UndoStep[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  add(step: UndoStep): void {
    this.#steps = [...this.#steps, step].slice(-MAX_STEPS)
  }

  /** Removes a step that was undone another way or never happened. */
  forget(step: UndoStep): void {
    this.#steps = this.#steps.filter((other) => other !== step)
  }

  /** Undoes the last step; returns whether there was one. */
  undo(): boolean {
    this.#steps = this.#steps.filter(({ until }) => until >= this.#now())
    const step = this.#steps.at(-1)
    if (step === undefined) return false
    this.#steps = this.#steps.slice(0, -1)
    step.undo()
    return true
  }
}
