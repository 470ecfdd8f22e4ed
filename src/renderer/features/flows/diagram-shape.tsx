/** One shape of a sequence diagram in the window. */
import type { Shape } from '../../../shared/flow-diagram/shapes.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'

/** `actor`: the lifeline that is looked at stands out. */
export function DiagramShape({ shape, actor }: { readonly shape: Shape; readonly actor: FlowActor | null }) {
  const chosen = 'actor' in shape && shape.actor !== undefined && shape.actor === actor ? ' looked-at' : ''
  switch (shape.kind) {
    case 'path':
      return <path d={shape.d} className={shape.as + chosen} />
    case 'box': {
      const { x, y, width, height, radius, as } = shape
      // A band reaches as far as the window does.
      return <rect x={x} y={y} width={as === 'band' ? '100%' : width} height={height} rx={radius} className={as + chosen} />
    }
    case 'text': {
      const { x, y, text, mark, as, anchor } = shape
      return (
        <text x={x} y={y} textAnchor={anchor} className={as + chosen}>
          {mark !== undefined && <tspan className="mark">{`${mark} `}</tspan>}
          {text}
        </text>
      )
    }
  }
}
