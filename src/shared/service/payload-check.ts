/** What the check of a payload says. */
import type { SchemaOutcome } from '../model/delivery.ts'
import type { Section } from './section.ts'

/** One thing noticed: where in the payload (`location.geolocation.latitude`; empty for the whole), a sentence, and the section. */
export interface PayloadNote {
  readonly path: string
  readonly message: string
  readonly section: Section
}

export interface PayloadCheck {
  readonly outcome: SchemaOutcome
  /** What is missing or of the wrong type. */
  readonly failures: readonly PayloadNote[]
  /** What is worth a look, and leaves the outcome as it is. */
  readonly findings: readonly PayloadNote[]
}
