/** Marks of changed lines in the editor, each with the value that it had. */
import { RangeSet, StateEffect, StateField, type Text } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  GutterMarker,
  gutterLineClass,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view'
import type { ChangedValue } from './code.tsx'
import { visibleText } from './visible-text.ts'

/** Most characters of an earlier value beside its line. */
const LONGEST_EARLIER = 60

/** The earlier value, after its line. Drawn by styles, so that it isn't part of the text. */
class EarlierValue extends WidgetType {
  readonly was: string
  constructor(was: string) {
    super()
    const cut = was.length > LONGEST_EARLIER ? `${was.slice(0, LONGEST_EARLIER)}…` : was
    this.was = visibleText(cut)
  }
  override eq(other: EarlierValue) {
    return other.was === this.was
  }
  override toDOM() {
    const mark = document.createElement('span')
    mark.className = 'cm-was'
    mark.setAttribute('role', 'img')
    mark.setAttribute('aria-label', this.was === '' ? 'added' : `was ${this.was}`)
    mark.dataset['was'] = this.was
    return mark
  }
}

const line = Decoration.line({ class: 'cm-changed' })
const gutterMark = new (class extends GutterMarker {
  override elementClass = 'cm-changed'
})()

interface Marks {
  readonly lines: DecorationSet
  readonly gutter: RangeSet<GutterMarker>
}

export const setChangesEffect = StateEffect.define<Marks>()

export const changeField = StateField.define<Marks>({
  create: () => ({ lines: Decoration.none, gutter: RangeSet.empty }),
  update: (marks, { changes, effects }) =>
    effects.find((effect) => effect.is(setChangesEffect))?.value ?? {
      lines: marks.lines.map(changes),
      gutter: marks.gutter.map(changes),
    },
  provide: (field) => [
    EditorView.decorations.from(field, ({ lines }) => lines),
    gutterLineClass.from(field, ({ gutter }) => gutter),
  ],
})

/** Returns the marks of changed values; of several in a line, the first is marked. */
export function changeMarks(doc: Text, changes: readonly ChangedValue[]): Marks {
  const inDoc = changes.filter(({ at }) => at <= doc.length)
  const lines = [...Map.groupBy(inDoc, ({ at }) => doc.lineAt(at).from)]
  return {
    lines: Decoration.set(
      lines.flatMap(([from, [first]]) => [
        line.range(from),
        Decoration.widget({ widget: new EarlierValue(first?.was ?? ''), side: 1 }).range(
          doc.lineAt(from).to,
        ),
      ]),
      true,
    ),
    gutter: RangeSet.of(
      lines.map(([from]) => gutterMark.range(from)),
      true,
    ),
  }
}
