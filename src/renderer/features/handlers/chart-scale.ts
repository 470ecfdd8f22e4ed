/** Scale and lines of a chart. */

const GRID_LINES = 4

/** Returns the top of an axis and the distance of its lines, both round numbers. */
export function scaleOf(most: number): { readonly top: number; readonly step: number } {
  const rough = Math.max(most, 1) / GRID_LINES
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * size >= rough) ?? 10) * size
  return { top: Math.ceil(Math.max(most, 1) / step) * step, step }
}

/**
 * Returns an SVG path through the minutes with a value; a minute between two empty ones is a dot.
 */
export function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return ''
      const at = `${x(index).toFixed(1)} ${y(value).toFixed(1)}`
      if ((values[index - 1] ?? null) !== null) return `L${at}`
      return (values[index + 1] ?? null) === null ? `M${at}h0` : `M${at}`
    })
    .join('')
}
