/** Rows of a flow's diagram. */
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlan, FlowRun } from '../model/flow-run.ts'
import type { Outcome } from '../model/outcomes.ts'
import type { EventTint } from '../service/event-type.ts'

/** Flow before it runs, or a run of it. */
export type DrawnFlow =
  | Pick<FlowPlan, 'title' | 'steps'>
  | Pick<
      FlowRun,
      | 'title'
      | 'steps'
      | 'strays'
      | 'speed'
      | 'startedAt'
      | 'businessStartedAt'
      | 'clock'
      | 'handler'
      | 'handlerName'
    >

/** Color by its name in the app's themes. */
export type DiagramColor =
  | 'text'
  | 'text-muted'
  | 'text-subtle'
  | 'accent'
  | 'ok'
  | 'bad'
  | 'warn'
  | `event-${EventTint}`

export interface DiagramArrow {
  readonly ink: DiagramColor
  readonly glyph: string
  readonly isPlanned: boolean
}

export interface DiagramRow {
  readonly kind: 'action' | 'delivery' | 'check' | 'wait' | 'gave-up'
  /** Absent for a pause, and for giving up. */
  readonly outcome: Outcome | null
  readonly from: FlowActor
  readonly to: FlowActor
  readonly title: string
  readonly ink: DiagramColor
  readonly isEvent: boolean
  readonly extra: string | null
  readonly lines: readonly { readonly text: string; readonly ink: DiagramColor }[]
  /** Absent if the row is about one participant. */
  readonly arrow: DiagramArrow | null
  /** `isCut`: no complete response. */
  readonly response:
    | (Omit<DiagramArrow, 'isPlanned'> & { readonly text: string; readonly isCut: boolean })
    | null
  /** Sandbox time, and real time since the start. */
  readonly businessTime: string | null
  readonly realTime: string | null
  /** Passed share of a wait, and the real milliseconds left. */
  readonly progress: { readonly share: number; readonly restMs: number | null } | null
  /** Step number, or ID of an unexpected delivery. */
  readonly place: string | null
  readonly words: string
}

export type RowDraft = Pick<DiagramRow, 'kind' | 'title'> & Partial<DiagramRow>
